package io.nereid.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Failures that are the client's own say the same over both transports. */
@Timeout(60)
class OwnFailuresTest {
  private static final InferRequest REQUEST = InferRequest.to("m").build();

  private static ServerSocket silent() throws IOException {
    return new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
  }

  private static NereidClient open(String scheme, int port) {
    return NereidClient.connect(scheme + "://127.0.0.1:" + port);
  }

  private static NereidException failure(NereidClient client, InferRequest request) {
    return catchThrowableOfType(NereidException.class, () -> client.infer(request));
  }

  @ParameterizedTest
  @CsvSource({
    "http, 100000000, 100 ms",
    "grpc, 100000000, 100 ms",
    "http, 1000, 1 us",
    "grpc, 1000, 1 us",
    "http, 999, 999 ns",
    "grpc, 1, 1 ns"
  })
  void aDeadlineThatHasPassedIsNamed(String scheme, long nanos, String named) throws IOException {
    InferRequest request = InferRequest.to("m").deadline(Duration.ofNanos(nanos)).build();
    try (ServerSocket server = silent();
        NereidClient client = open(scheme, server.getLocalPort())) {
      NereidException failure = failure(client, request);

      assertThat(failure.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
      assertThat(failure.sentence()).isEqualTo("the deadline of " + named + " has passed");
      if (nanos <= 1000) {
        assertThat(failure.mayHaveRun()).as("nothing was sent").isFalse();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void aDeadlineMayBeAsLongAsADuration(String scheme) throws IOException {
    int port;
    try (ServerSocket server = silent()) {
      port = server.getLocalPort();
    }
    InferRequest request =
        InferRequest.to("m").deadline(Duration.ofSeconds(Long.MAX_VALUE)).build();
    try (NereidClient client = open(scheme, port)) {
      assertThat(failure(client, request).code()).isEqualTo(ErrorCode.UNAVAILABLE);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void anInterruptIsToldAsOne(String scheme) throws IOException {
    try (ServerSocket server = silent();
        NereidClient client = open(scheme, server.getLocalPort())) {
      Thread.currentThread().interrupt();

      NereidException failure = failure(client, REQUEST);

      assertThat(Thread.interrupted()).isTrue();
      assertThat(failure.code()).isEqualTo(ErrorCode.CANCELLED);
      assertThat(failure.sentence()).isEqualTo("the waiting thread was interrupted");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void aClosedClientSendsNothing(String scheme) throws IOException {
    try (ServerSocket server = silent()) {
      NereidClient client = open(scheme, server.getLocalPort());
      client.close();

      NereidException failure = failure(client, REQUEST);

      assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
      assertThat(failure.sentence()).isEqualTo("the client is closed");
      assertThat(failure.mayHaveRun()).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void aRefusedPortAndAnUnknownHostDiffer(String scheme) throws IOException {
    int port;
    try (ServerSocket server = silent()) {
      port = server.getLocalPort();
    }
    try (NereidClient refused = open(scheme, port);
        NereidClient unknown = NereidClient.connect(scheme + "://no-such-host.invalid:8000")) {
      assertThat(failure(refused, REQUEST))
          .returns(ErrorCode.UNAVAILABLE, NereidException::code)
          .returns("no connection: no server listens at this port", NereidException::sentence)
          .returns(false, NereidException::mayHaveRun);
      assertThat(failure(unknown, REQUEST))
          .returns(ErrorCode.UNAVAILABLE, NereidException::code)
          .returns("no connection: the host is unknown", NereidException::sentence)
          .returns(false, NereidException::mayHaveRun);
    }
  }

  @Test
  void aPortOfTheOtherProtocolIsToldAsSuch() throws IOException {
    Server grpc =
        Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create()).build().start();
    try (ServerSocket http = silent();
        NereidClient rest = open("http", grpc.getPort());
        NereidClient other = open("grpc", http.getLocalPort())) {
      Thread.ofVirtual().start(() -> answerInHttp(http));

      assertThat(failure(rest, REQUEST))
          .returns("this port speaks gRPC: use grpc://...", NereidException::sentence)
          .returns(ErrorCode.BAD_RESPONSE, NereidException::code)
          .returns(false, NereidException::mayHaveRun);
      assertThat(failure(other, REQUEST))
          .returns("this port speaks HTTP: use http://...", NereidException::sentence)
          .returns(ErrorCode.BAD_RESPONSE, NereidException::code)
          .returns(false, NereidException::mayHaveRun);
    } finally {
      grpc.shutdownNow();
    }
  }

  private static void answerInHttp(ServerSocket server) {
    try {
      while (true) {
        try (Socket connection = server.accept()) {
          connection.getInputStream().read();
          connection
              .getOutputStream()
              .write(
                  "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"
                      .getBytes(StandardCharsets.ISO_8859_1));
          connection.getInputStream().transferTo(OutputStream.nullOutputStream());
        }
      }
    } catch (IOException closed) {
      // the test is over
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void aFailureIsNoCauseOfItself(String scheme) throws IOException {
    int port;
    try (ServerSocket server = silent()) {
      port = server.getLocalPort();
    }
    List<Consumer<NereidClient>> calls =
        List.of(
            client -> client.models().metadata("m"),
            client -> client.models().load("m"),
            client -> assertThat(client.stream(REQUEST).hasNext()).isFalse());
    try (NereidClient client = open(scheme, port)) {
      for (Consumer<NereidClient> call : calls) {
        NereidException failure =
            catchThrowableOfType(NereidException.class, () -> call.accept(client));

        assertThat(failure.getCause() instanceof NereidException).isFalse();
      }
    }
  }

  @Test
  @SuppressWarnings("NullAway") // what a caller without it may do
  void anInputWithoutATensorIsNamed() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> InferRequest.to("m").input("A", null))
        .withMessage("model 'm': the input 'A' has no tensor");
  }
}
