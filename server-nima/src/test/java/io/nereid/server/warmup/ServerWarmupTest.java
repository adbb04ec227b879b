package io.nereid.server.warmup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.engine.testing.LogCapture;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class ServerWarmupTest {
  private static final Duration LONG = Duration.ofSeconds(50);
  private static final Duration SHORT = Duration.ofMillis(20);

  @Test
  void requestsOfBothProtocolsReachTheModels() throws IOException {
    try (var server = WarmupServer.start(true, true)) {
      try (var http = http(server.httpPort(), LONG);
          var grpc = grpc(server.grpcPort(), LONG)) {
        for (int i = 0; i < 4; i++) { // JSON and binary tensors, for both models
          http.send();
          http.receive();
        }
        for (int i = 0; i < grpc.maxInFlight(); i++) {
          grpc.send();
        }
        for (int i = 0; i < grpc.maxInFlight(); i++) {
          grpc.receive();
        }
      }

      assertThat(server.executed()).containsExactly(2L + 2, 2L + 2);
    }
  }

  @ParameterizedTest
  @CsvSource({"true,true,20", "true,false,20", "false,true,20", "true,true,1"})
  void theLimitEndsAWarmupOnceEachConnectionHasHadAResponse(
      boolean overHttp, boolean overGrpc, long millis) {
    try (var log = new LogCapture(ServerWarmup.class.getName());
        var warmup =
            new ServerWarmup(
                Duration.ofMillis(millis), Duration.ZERO, overHttp, overGrpc, () -> true)) {
      warmup.begin();
      warmup.await();

      assertThat(log.messages())
          .singleElement()
          .asString()
          .matches("warm-up: [1-9]\\d* requests in \\d+ ms");
    }
  }

  @Test
  void aWarmupEndsAtOnceWhenItIsClosed() {
    var warmup = new ServerWarmup(LONG.multipliedBy(100), Duration.ZERO, true, true, () -> true);
    warmup.begin();
    warmup.close();

    warmup.await(); // or the test's timeout expires
  }

  @Test
  void noLimitIsNoWarmup() {
    try (var warmup = new ServerWarmup(Duration.ZERO, LONG, true, true, () -> true)) {
      warmup.begin();

      warmup.await();
    }
  }

  @Test
  void aServerThatIsIdleGoesOnWhenItIsReady() throws InterruptedException {
    try (var log = new LogCapture(ServerWarmup.class.getName());
        var warmup = new ServerWarmup(SHORT, SHORT, true, true, () -> true)) {
      warmup.begin();
      warmup.await();
      assertThat(log.messages()).hasSize(1);

      warmup.ready();

      assertThat(log.await(2).getLast())
          .matches("warm-up after the start: [1-9]\\d* requests in \\d+ ms");
    }
  }

  @Test
  void aServerWithRequestsIsLeftAlone() throws InterruptedException {
    var asked = new Semaphore(0);
    BooleanSupplier wasIdle =
        () -> {
          asked.release();
          return false;
        };
    var warmup = new ServerWarmup(SHORT, LONG.multipliedBy(100), true, true, wasIdle);
    try (var log = new LogCapture(ServerWarmup.class.getName())) {
      warmup.begin();
      warmup.await();
      warmup.ready();
      asked.acquire(2); // it has paused in between

      warmup.close();

      assertThat(log.await(2).getLast()).startsWith("warm-up after the start: 0 requests in ");
    }
  }

  @Test
  void aResponseThatIsNoSuccessIsAFailure() throws IOException {
    try (var server =
            new Answering("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n");
        var http = http(server.port(), LONG)) {
      http.send();

      assertThatThrownBy(http::receive)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("expected status 200")
          .hasMessageContaining("500");
    }
  }

  @Test
  void aConnectionThatClosesIsAFailure() throws IOException {
    try (var server = new Answering("HTTP/1.1 200");
        var http = http(server.port(), LONG)) {
      http.send();

      assertThatThrownBy(http::receive)
          .isInstanceOf(EOFException.class)
          .hasMessageContaining("HTTP/1.1 200");
    }
  }

  @Test
  void aCallWithoutAResponseIsAFailure() throws IOException {
    String trailers = "\0\0\0\1\5\0\0\0\1";
    try (var server = new Answering(trailers);
        var grpc = grpc(server.port(), LONG)) {
      grpc.send();

      assertThatThrownBy(grpc::receive).hasMessage("a call has ended without a response");
    }
  }

  @Test
  void aServerThatDoesNotAnswerIsAFailure() throws IOException {
    try (var silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var http = http(silent.getLocalPort(), SHORT);
        var grpc = grpc(silent.getLocalPort(), SHORT)) {
      http.send();
      grpc.send();

      assertThatThrownBy(http::receive).isInstanceOf(SocketTimeoutException.class);
      assertThatThrownBy(grpc::receive).isInstanceOf(SocketTimeoutException.class);
    }
  }

  private static HttpWarmup http(int port, Duration timeout) throws IOException {
    List<byte[]> requests =
        WarmupModel.requests().stream()
            .flatMap(request -> Stream.of(request.json(), request.binary()))
            .toList();
    return new HttpWarmup(port, timeout, requests);
  }

  private static GrpcWarmup grpc(int port, Duration timeout) throws IOException {
    return new GrpcWarmup(
        port, timeout, WarmupModel.requests().stream().map(WarmupRequest::message).toList());
  }

  /** Answers one connection with a text, and closes it once the client does. */
  private static final class Answering implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());

    Answering(String text) throws IOException {
      Thread.ofVirtual().start(() -> answer(text));
    }

    private void answer(String text) {
      try (Socket client = listener.accept()) {
        client.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        client.shutdownOutput();
        client.getInputStream().transferTo(OutputStream.nullOutputStream());
      } catch (IOException closed) {
        throw new UncheckedIOException(closed);
      }
    }

    int port() {
      return listener.getLocalPort();
    }

    @Override
    public void close() throws IOException {
      listener.close();
    }
  }

  @Test
  void theServerStartsAndAnErrorIsALineOfTheLog() throws InterruptedException {
    try (var log = new LogCapture(ServerWarmup.class.getName());
        var warmup =
            new ServerWarmup(
                SHORT,
                LONG,
                true,
                false,
                () -> {
                  throw new OutOfMemoryError("of a test");
                })) {
      warmup.begin();
      warmup.await();
      warmup.ready();

      assertThat(log.await(2))
          .last()
          .isEqualTo("the server could not warm up: java.lang.OutOfMemoryError: of a test");
    }
  }
}
