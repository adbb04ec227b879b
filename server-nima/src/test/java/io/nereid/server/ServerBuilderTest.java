package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.engine.ModelRequest;
import io.nereid.engine.ModelResponse;
import io.nereid.error.InferenceException;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerBuilderTest {
  private static final Path MODELS = Path.of("../examples/models");

  private static ServerBuilder builder() {
    return NereidServer.builder()
        .repository(MODELS)
        .withoutGrpc()
        .withoutMetrics()
        .option("http-address", "127.0.0.1");
  }

  @Test
  void aProgramServesAndAsksItsEngineItself() throws Exception {
    try (NereidServer server = builder().http(0).start();
        HttpClient client = HttpClient.newHttpClient()) {
      URI ready = URI.create("http://127.0.0.1:%d/v2/health/ready".formatted(server.httpPort()));
      assertThat(
              client
                  .send(
                      HttpRequest.newBuilder(ready).build(), HttpResponse.BodyHandlers.discarding())
                  .statusCode())
          .isEqualTo(200);
      ModelRequest request =
          ModelRequest.to("simple")
              .input("INPUT0", Shape.of(1, 16), new int[16])
              .input("INPUT1", Shape.of(1, 16), new int[16])
              .build();
      try (ModelResponse response = server.engine().infer(request)) {
        assertThat(response.ints("OUTPUT1")).containsOnly(0);
      }
    }
  }

  @Test
  void aServerMayHaveNoFrontEnd() throws IOException {
    try (NereidServer server = builder().withoutHttp().start()) {
      assertThat(server.engine().isReady()).isTrue();
    }
  }

  @Test
  void theEngineOfAServerIsClosedByTheServerAlone() throws IOException {
    try (NereidServer server = builder().withoutHttp().start()) {
      server.engine().close();

      assertThat(server.engine().isReady()).isTrue();
    }
  }

  @Test
  void anOptionThatIsNotValidIsNamed() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder().option("http-port", "many").start())
        .withMessageContaining("--http-port");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder().option("strict-readines", "s3cret").start())
        .withMessage("unknown option '--strict-readines'; did you mean '--strict-readiness'?");
  }

  @Test
  void aStartThatFailsLeavesNoThread(@TempDir Path repository) throws IOException {
    Files.writeString(
        Files.createDirectories(repository.resolve("broken")).resolve("config.pbtxt"),
        "backend: \"none\"");

    long before = threads();

    assertThatThrownBy(
            () -> NereidServer.builder().repository(repository).http(0).grpc(0).metrics(0).start())
        .isInstanceOf(InferenceException.class);
    assertEnd(before);
  }

  /** The threads of servers that do not end by themselves. */
  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> Set.of("clock", "trim", "certificate watch").contains(thread.getName()))
        .count();
  }

  /** The clock does not wait for its thread, which ends at once. */
  private static void assertEnd(long threads) {
    long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
    while (threads() > threads && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertThat(threads()).isEqualTo(threads);
  }
}
