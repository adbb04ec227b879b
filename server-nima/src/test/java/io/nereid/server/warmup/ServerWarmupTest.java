package io.nereid.server.warmup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.model.control.FakeModelControl;
import io.nereid.engine.testing.LogCapture;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ServerLiveRequest;
import io.nereid.server.frontend.FrontEnd;
import io.nereid.server.frontend.FrontEndServices;
import io.nereid.server.frontend.TestServices;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class ServerWarmupTest {
  private static final Duration LONG = Duration.ofSeconds(50);
  private static final Duration SHORT = Duration.ofMillis(20);

  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final FrontEndServices services =
      TestServices.of(new FakeModelControl(), pool, new RequestMemory(1 << 20, 1 << 20));

  @AfterEach
  void closePool() {
    pool.close(); // fails if a request has kept memory
  }

  @ParameterizedTest
  @CsvSource({"true,true,16", "true,false,8", "false,true,8"})
  void theLimitEndsAWarmupOnceEachProtocolHasHadItsResponses(
      boolean overHttp, boolean overGrpc, int requests) {
    try (var log = new LogCapture(ServerWarmup.class.getName());
        var warmup =
            new ServerWarmup(Duration.ofNanos(1), Duration.ZERO, overHttp, overGrpc, () -> true)) {
      warmup.run(services);
      warmup.goOn(services);

      assertThat(log.messages())
          .singleElement()
          .asString()
          .matches("warm-up: %d requests in \\d+ ms".formatted(requests));
    }
  }

  @Test
  void aWarmupEndsAtOnceWhenItIsClosed() throws InterruptedException {
    var warmup = new ServerWarmup(LONG.multipliedBy(100), Duration.ZERO, true, true, () -> true);
    Thread running = Thread.ofPlatform().start(() -> warmup.run(services));

    warmup.close();

    running.join(); // or the test's timeout expires
  }

  @ParameterizedTest
  @CsvSource({"0,true", "1,false"})
  void noLimitAndNoProtocolAreNoWarmup(long millis, boolean overBoth) {
    var limit = Duration.ofMillis(millis);
    try (var log = new LogCapture(ServerWarmup.class.getName());
        var warmup = new ServerWarmup(limit, LONG, overBoth, overBoth, () -> true)) {
      warmup.run(services);
      warmup.goOn(services);

      assertThat(log.messages()).isEmpty();
    }
  }

  @Test
  void aServerThatIsIdleGoesOnWhenItIsReady() throws InterruptedException {
    try (var log = new LogCapture(ServerWarmup.class.getName());
        var warmup = new ServerWarmup(SHORT, SHORT, true, true, () -> true)) {
      warmup.run(services);
      warmup.goOn(services);

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
      warmup.goOn(services);
      asked.acquire(2); // it has paused in between

      warmup.close();

      assertThat(log.await(1).getLast()).startsWith("warm-up after the start: 0 requests in ");
    }
  }

  @Test
  void itsPortsAreClosedToOthers() throws IOException {
    try (var warmup = new ServerWarmup(SHORT, Duration.ZERO, true, true, () -> true)) {
      FrontEnd http = warmup.http(services).start();
      try (var wire = new HttpWire(URI.create("http://127.0.0.1:" + http.port()))) {
        for (String path : List.of("/v2/health/live", "/v2/logging", "/v2/models/stats")) {
          assertThat(wire.send("GET", path, new byte[0], Map.of()).status()).isEqualTo(403);
        }
      } finally {
        http.stop(SHORT);
      }
      FrontEnd grpc = warmup.grpc(services).start();
      ManagedChannel channel = channel(grpc.port());
      try {
        var stub = GRPCInferenceServiceGrpc.newBlockingStub(channel);
        assertThatThrownBy(() -> stub.serverLive(ServerLiveRequest.getDefaultInstance()))
            .hasMessageContaining("nereid-warm-up");
      } finally {
        channel.shutdownNow();
        grpc.stop(SHORT);
      }
    }
  }

  private static ManagedChannel channel(int port) {
    return Grpc.newChannelBuilderForAddress("127.0.0.1", port, InsecureChannelCredentials.create())
        .build();
  }

  @Test
  void aConnectionThatClosesIsAFailure() throws IOException, InterruptedException {
    try (var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread closing = Thread.ofVirtual().start(() -> closeTwo(listener));

      assertThatThrownBy(() -> WarmupRequests.sendHttp(listener.getLocalPort(), "s"))
          .isInstanceOf(IOException.class);
      assertThatThrownBy(() -> WarmupRequests.sendGrpc(listener.getLocalPort(), "s"))
          .isInstanceOf(IOException.class);
      closing.join();
    }
  }

  private static void closeTwo(ServerSocket listener) {
    for (int i = 0; i < 2; i++) {
      try {
        listener.accept().close();
      } catch (IOException failed) {
        throw new AssertionError(failed);
      }
    }
  }

  @Test
  void theServerStartsAndAnErrorIsALineOfTheLog() throws InterruptedException {
    BooleanSupplier failing =
        () -> {
          throw new OutOfMemoryError("of a test");
        };
    try (var log = new LogCapture(ServerWarmup.class.getName());
        var warmup = new ServerWarmup(SHORT, LONG, true, false, failing)) {
      warmup.run(services);
      warmup.goOn(services);

      assertThat(log.await(2))
          .last()
          .isEqualTo("the server could not warm up: java.lang.OutOfMemoryError: of a test");
    }
  }
}
