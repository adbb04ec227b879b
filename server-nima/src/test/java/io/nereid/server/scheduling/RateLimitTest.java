package io.nereid.server.scheduling;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.engine.testing.LogCapture;
import io.nereid.server.LocalServer;
import io.nereid.server.NereidCommand;
import io.nereid.server.NereidServer;
import io.nereid.tck.gate.Gate;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The rate limiter of a whole server. */
@Timeout(120)
class RateLimitTest {
  /** How much of R1 each model needs. */
  private static final Map<String, Integer> MODELS = Map.of("four", 4, "two", 2, "five", 5);

  private final CheckedBufferPool pool = new CheckedBufferPool();
  @TempDir private Path repository;
  private @Nullable NereidServer server;

  private NereidServer start(String... arguments) throws IOException {
    for (String name : MODELS.keySet()) {
      ModelOnDisk.of(
          repository,
          name,
          """
          backend: "gate"
          input { name: "IN0" data_type: TYPE_UINT8 dims: [ 1 ] }
          output { name: "OUT0" data_type: TYPE_UINT8 dims: [ 1 ] }
          instance_group { count: 1 kind: KIND_CPU
            rate_limiter { resources { name: "R1" count: %d } } }
          """
              .formatted(MODELS.get(name)));
    }
    List<String> all = new ArrayList<>(List.of("--allow-grpc=false", "--exit-on-error=false"));
    all.addAll(List.of(arguments));
    server = LocalServer.start(LocalServer.options(repository, all.toArray(String[]::new)), pool);
    return server;
  }

  private static int status(NereidServer server, String method, String path, String body) {
    URI root = URI.create("http://127.0.0.1:" + server.httpPort());
    try (var wire = new HttpWire(root)) {
      return wire.send(method, path, body.getBytes(UTF_8), Map.of()).status();
    }
  }

  private static boolean isReady(NereidServer server, String model) {
    return status(server, "GET", "/v2/models/" + model + "/ready", "") == 200;
  }

  private static CompletableFuture<Integer> infer(NereidServer server, String model) {
    String body =
        """
        {"inputs":[{"name":"IN0","datatype":"UINT8","shape":[1],"data":[7]}]}
        """;
    return CompletableFuture.supplyAsync(
        () -> status(server, "POST", "/v2/models/" + model + "/infer", body),
        task -> Thread.ofVirtual().start(task));
  }

  @Test
  void aModelThatNeedsTooMuchDoesNotLoadAndTheOthersShare() throws Exception {
    NereidServer running;
    try (var log = new LogCapture("io.nereid.engine.model")) {
      running = start("--rate-limit=execution_count", "--rate-limit-resource=R1:4");
      assertThat(log.messages())
          .contains(
              "failed to load 'five' version 1: Invalid argument: Resource count for \"R1\""
                  + " is limited to 4 which will prevent scheduling of one or more model instances,"
                  + " the minimum required count is 5");
    }
    assertThat(isReady(running, "five")).isFalse();
    assertThat(isReady(running, "four")).isTrue();
    assertThat(isReady(running, "two")).isTrue();

    var four = infer(running, "four");
    Gate.of("four").awaitBegun(1);
    var two = infer(running, "two");
    var pending = infer(running, "two");
    Gate.of("four").openAll();
    Gate.of("two").awaitBegun(1);
    assertThat(Gate.of("four").running()).isEmpty();

    Gate.of("two").openAll();
    for (var response : List.of(four, two, pending)) {
      assertThat(response.get(60, TimeUnit.SECONDS)).isEqualTo(200);
    }
  }

  @Test
  void limitsNothingWithoutTheOption() throws Exception {
    NereidServer running = start("--rate-limit-resource=R1:4");
    List<CompletableFuture<Integer>> responses = new ArrayList<>();
    for (String model : MODELS.keySet()) {
      responses.add(infer(running, model));
      Gate.of(model).awaitBegun(1);
    }

    assertThat(MODELS.keySet())
        .allSatisfy(model -> assertThat(Gate.of(model).running()).hasSize(1));
    MODELS.keySet().forEach(model -> Gate.of(model).openAll());
    for (var response : responses) {
      assertThat(response.get(60, TimeUnit.SECONDS)).isEqualTo(200);
    }
  }

  @Test
  void replaysItsJournal() throws Exception {
    Path journal = repository.resolve("journal");
    NereidServer running = start("--rate-limit=execution_count", "--scheduler-journal=" + journal);
    MODELS.keySet().forEach(model -> Gate.of(model).openAll());
    List<CompletableFuture<Integer>> responses = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      MODELS.keySet().forEach(model -> responses.add(infer(running, model)));
    }
    for (var response : responses) {
      assertThat(response.get(60, TimeUnit.SECONDS)).isEqualTo(200);
    }
    running.close();

    var out = new StringWriter();
    int status = NereidCommand.run(out, new StringWriter(), "replay", journal.toString());
    assertThat(status).as(out::toString).isZero();
    assertThat(out.toString()).contains("is woken");
  }

  @AfterEach
  void stop() {
    MODELS.keySet().forEach(model -> Gate.of(model).tearDown());
    if (server != null) {
      server.close();
    }
    MODELS.keySet().forEach(Gate::forget);
    assertThat(pool.outstanding()).as("outstanding leases").isZero();
  }
}
