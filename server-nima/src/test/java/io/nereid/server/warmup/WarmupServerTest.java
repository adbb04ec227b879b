package io.nereid.server.warmup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.server.LocalServer;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The warm-up of example models, which ONNX Runtime executes. */
class WarmupServerTest {
  private static final Path EXAMPLES = Path.of("..", "examples", "models");

  @TempDir private Path repository;

  @BeforeEach
  void addModels() throws IOException {
    add(
        "digits",
        """
        model_warmup { name: "batch" batch_size: 16 count: 2
          inputs { key: "image"
            value { data_type: TYPE_FP32 dims: [ 1, 8, 8 ] random_data: true } } }
        model_warmup { name: "single" batch_size: 1
          inputs { key: "image"
            value { data_type: TYPE_FP32 dims: [ 1, 8, 8 ] zero_data: true } } }
        """);
    add(
            "identity_bytes",
            """
            model_warmup { name: "words" batch_size: 1
              inputs { key: "INPUT0"
                value { data_type: TYPE_STRING dims: [ 2 ] input_data_file: "words" } } }
            """)
        .withFile("warmup/words", new byte[] {1, 0, 0, 0, 'a', 0, 0, 0, 0});
    add(
        "simple",
        """
        model_warmup { name: "half" batch_size: 1
          inputs { key: "INPUT0"
            value { data_type: TYPE_INT32 dims: [ 16 ] zero_data: true } } }
        """);
  }

  /** Adds a copy of an example with more configuration. */
  private ModelOnDisk add(String model, String config) throws IOException {
    Path example = EXAMPLES.resolve(model);
    var copy =
        ModelOnDisk.named(repository, model)
            .withConfig(Files.readString(example.resolve("config.pbtxt")) + config)
            .withFile("1/model.onnx", Files.readAllBytes(example.resolve("1/model.onnx")));
    if (Files.exists(example.resolve("labels.txt"))) {
      copy.withFile("labels.txt", Files.readString(example.resolve("labels.txt")));
    }
    return copy;
  }

  @Test
  void modelsAreReadyOnceTheyHaveExecutedTheirSamples() throws Exception {
    var options = LocalServer.options(repository, "--exit-on-error=false");
    try (var server = new LocalServer(options, new CheckedBufferPool());
        var wire = new HttpWire(server.http())) {
      assertThat(counts(wire, "digits")).isEqualTo(Map.of("inferences", 33L, "executions", 3L));
      assertThat(counts(wire, "identity_bytes"))
          .isEqualTo(Map.of("inferences", 1L, "executions", 1L));
      assertThat(reason(wire, "simple"))
          .isEqualTo(
              "Invalid argument: [request id: <id_unknown>] expected 2 inputs but got 1 inputs for"
                  + " model 'simple'. Got input(s) ['INPUT0'], but missing required input(s)"
                  + " ['INPUT1']. Please provide all required input(s).");
    }
  }

  private static Map<String, Long> counts(HttpWire wire, String model) {
    var response = wire.send("GET", "/v2/models/" + model + "/stats", new byte[0], Map.of());
    assertThat(response.status()).as(response.text()).isEqualTo(200);
    Object statistics = Json.list(Json.parse(response.body()), "model_stats").getFirst();
    return Map.of(
        "inferences", number(statistics, "inference_count"),
        "executions", number(statistics, "execution_count"));
  }

  private static long number(Object statistics, String name) {
    return ((BigDecimal) Json.member(statistics, name)).longValueExact();
  }

  /** Why a model is unavailable. */
  private static String reason(HttpWire wire, String model) {
    var response = wire.send("POST", "/v2/repository/index", "{}".getBytes(UTF_8), Map.of());
    for (Object row : (Iterable<?>) Json.parse(response.body())) {
      if (Json.member(row, "name").equals(model)) {
        return (String) Json.member(row, "reason");
      }
    }
    throw new AssertionError("no '%s' in %s".formatted(model, response.text()));
  }
}
