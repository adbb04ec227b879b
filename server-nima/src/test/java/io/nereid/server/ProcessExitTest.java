package io.nereid.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.server.support.ServerProcess;
import io.nereid.tck.gate.GateFiles;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How long the end of a process takes, what has its answer by then, and what is left behind. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ProcessExitTest {
  private static final String TENSORS =
      """
      max_batch_size: 0
      input { name: "IN0" data_type: TYPE_UINT8 dims: [ -1 ] }
      output { name: "OUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
      instance_group { count: 1 kind: KIND_CPU }
      """;

  private static final String GATE =
      "backend: \"gate\" parameters { key: \"gate_files\" value { string_value: \"true\" } }"
          + TENSORS;

  /** Ends the process once there is a file {@code go} beside the version. */
  private static final String EXITS =
      """
      import io.nereid.java.*;

      public final class Model implements JavaModel {
        private java.nio.file.Path go;

        @Override
        public void open(ModelContext context) {
          go = context.files().versionDirectory().resolveSibling("go");
        }

        @Override
        public Response infer(Request request, Calls calls) throws Exception {
          java.nio.file.Files.writeString(go.resolveSibling("begun"), "");
          while (!java.nio.file.Files.exists(go)) {
            Thread.sleep(2);
          }
          System.exit(3);
          throw new AssertionError();
        }
      }
      """;

  /** So much later than the timeout a test may see the end of a process. */
  private static final Duration BUSY_MACHINE = Duration.ofSeconds(1);

  @TempDir private Path directory = Path.of("");
  private Path models = Path.of("");

  @BeforeEach
  void makeRepository() throws IOException {
    models = Files.createDirectory(directory.resolve("models"));
  }

  private static CompletableFuture<HttpWire.Response> infer(ServerProcess server, String model)
      throws InterruptedException {
    return infer(server, model, "IN0");
  }

  private static CompletableFuture<HttpWire.Response> infer(
      ServerProcess server, String model, String input) throws InterruptedException {
    String request =
        "{\"inputs\":[{\"name\":\"%s\",\"datatype\":\"UINT8\",\"shape\":[1],\"data\":[1]}]}"
            .formatted(input);
    return post(server, "/v2/models/%s/infer".formatted(model), request);
  }

  private static CompletableFuture<HttpWire.Response> post(
      ServerProcess server, String path, String body) throws InterruptedException {
    var address = URI.create("http://127.0.0.1:" + server.httpPort());
    return CompletableFuture.supplyAsync(
        () -> {
          try (var wire = new HttpWire(address)) {
            return wire.send("POST", path, body.getBytes(UTF_8), Map.of());
          }
        },
        task -> Thread.ofVirtual().start(task));
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  private static void await(Condition condition) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.holds()) {
      assertThat(System.nanoTime() - deadline).as("still waiting").isNegative();
      LockSupport.parkNanos(5_000_000);
    }
  }

  @Test
  void theExitTimeoutIsTheWholeOfTheStop() throws Exception {
    var gate = new GateFiles(ModelOnDisk.of(models, "m", GATE).path());
    try (var server = ServerProcess.start(directory, models, "--exit-timeout-secs=4")) {
      server.metricsPort();
      var _ = infer(server, "m"); // DrainTest has its answer, for which a busy machine has no time
      await(() -> gate.entered() == 1);

      long begin = System.nanoTime();
      server.terminate();

      assertThat(server.exitStatus()).isEqualTo(1);
      assertThat(Duration.ofNanos(System.nanoTime() - begin))
          .isLessThan(Duration.ofSeconds(4).plus(BUSY_MACHINE));
      assertThat(server.log()).last().asString().contains("Exit timeout expired.");
    }
  }

  @ParameterizedTest
  @CsvSource({"System.exit(3),", "System.exit(3),m", "Runtime.getRuntime().exit(3),"})
  void aModelThatCallsSystemExitEndsTheServerOnceAllHaveTheirAnswers(
      String statement, @Nullable String called) throws Exception {
    String more =
        called == null
            ? ""
            : "parameters { key: \"calls\" value { string_value: \"%s\" } }".formatted(called);
    var gate = new GateFiles(ModelOnDisk.of(models, "m", GATE).path());
    ModelOnDisk exits =
        ModelOnDisk.of(models, "exits", "backend: \"java\" " + more + TENSORS)
            .withFile("1/Model.java", EXITS.replace("System.exit(3)", statement));
    try (var server = ServerProcess.start(directory, models, "--backend-config=java,allow=true")) {
      server.metricsPort();
      var running = infer(server, "m");
      await(() -> gate.entered() == 1);
      var exiting = infer(server, "exits");
      await(() -> Files.exists(exits.path().resolve("begun")));
      var queued = infer(server, "exits");
      await(() -> metric(server, "nv_inference_pending_request_count{model=\"exits\"") == 1);

      Files.createFile(exits.path().resolve("go"));

      for (var each : List.of(exiting, queued)) {
        HttpWire.Response answer = each.get(60, TimeUnit.SECONDS);
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.text()).contains("has called System.exit");
      }
      gate.open();
      assertThat(running.get(60, TimeUnit.SECONDS).text()).contains("\"data\":[1]");
      assertThat(server.exitStatus()).isZero();
      assertThat(server.log()).last().asString().endsWith("] \"stopped\"");
    }
  }

  private static long metric(ServerProcess server, String name) throws InterruptedException {
    try (var wire = new HttpWire(URI.create("http://127.0.0.1:" + server.metricsPort()))) {
      return wire.send("GET", "/metrics", new byte[0], Map.of())
          .text()
          .lines()
          .filter(line -> line.startsWith(name))
          .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
          .sum();
    }
  }

  @Test
  void theNextStartDeletesTheFilesOfModelsThatAKilledServerHasLeftAndNoOthers() throws Exception {
    Path temporary = Files.createDirectory(directory.resolve("temporary"));
    try (var killed = withUpload(temporary, "first");
        var living = withUpload(temporary, "second")) {
      assertThat(uploads(temporary)).hasSize(2);
      assertThat(ProcessHandle.of(killed.pid()).orElseThrow().destroyForcibly()).isTrue();
      assertThat(killed.exitStatus()).isNotZero();
      assertThat(uploads(temporary)).hasSize(2);

      try (var next = withUpload(temporary, "third")) {
        assertThat(uploads(temporary)).hasSize(2);
        next.terminate();
        assertThat(next.exitStatus()).isZero();
        assertThat(uploads(temporary)).hasSize(1);
        assertThat(infer(living, "m", "INPUT0").get(60, TimeUnit.SECONDS).status()).isEqualTo(200);
      }
    }
  }

  /** A server that has loaded a model with a file of the client's. */
  private ServerProcess withUpload(Path temporary, String name) throws Exception {
    Path own = Files.createDirectory(directory.resolve(name));
    ServerProcess server =
        ServerProcess.start(
            own, models, List.of("-Djava.io.tmpdir=" + temporary), "--model-control-mode=explicit");
    server.metricsPort();
    String config =
        "{\\\"backend\\\":\\\"tck_echo\\\",\\\"input\\\":[{\\\"name\\\":\\\"INPUT0\\\",\\\"data_type\\\":"
            + "\\\"TYPE_UINT8\\\",\\\"dims\\\":[-1]}],\\\"output\\\":[{\\\"name\\\":\\\"OUTPUT0\\\","
            + "\\\"data_type\\\":\\\"TYPE_UINT8\\\",\\\"dims\\\":[-1]}]}";
    HttpWire.Response loaded =
        post(
                server,
                "/v2/repository/models/m/load",
                "{\"parameters\":{\"config\":\"%s\",\"file:1/uploaded\":\"YWJj\"}}"
                    .formatted(config))
            .get(60, TimeUnit.SECONDS);
    assertThat(loaded.text()).isEmpty();
    return server;
  }

  private static List<Path> uploads(Path temporary) throws IOException {
    try (Stream<Path> files = Files.walk(temporary)) {
      return files.filter(file -> file.endsWith("uploaded")).toList();
    }
  }
}
