package io.nereid.server.model;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.error.InferenceException;
import io.nereid.server.LocalServer;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server of one file of ONNX, as storage initializers leave it. */
@Timeout(60)
class BareModelServerTest {
  private static final Path FILE =
      Path.of("..", "examples", "models", "identity_fp32", "1", "model.onnx");
  private static final String REQUEST =
      """
      {"inputs": [{"name": "INPUT0", "shape": [2, 1], "datatype": "FP32", "data": [1.5, 2.5]}]}
      """;

  @TempDir private Path folder;

  @BeforeEach
  void copyTheFile() throws IOException {
    Files.copy(FILE, folder.resolve("model.onnx"));
  }

  private LocalServer start(String... more) throws IOException {
    return new LocalServer(LocalServer.options(folder, more), new CheckedBufferPool());
  }

  private static Object get(LocalServer server, String path) {
    try (var wire = new HttpWire(server.http())) {
      return Json.parse(wire.send("GET", path, new byte[0], Map.of()).body());
    }
  }

  private static void assertServes(LocalServer server) {
    Object response = server.infer("digits", REQUEST);
    assertThat(Json.member(response, "model_version")).isEqualTo("1");
    assertThat(Json.list(LocalServer.output(response, "OUTPUT0"), "data").toArray())
        .containsExactly(new BigDecimal("1.5"), new BigDecimal("2.5"));
  }

  @Test
  void aBatchBeyondTheDefaultIsToldWhereTheLimitComesFrom() throws IOException {
    try (var server = start("--model-name=digits");
        var wire = new HttpWire(server.http())) {
      String rows = REQUEST.replace("[2, 1]", "[5, 1]").replace("[1.5, 2.5]", "[1, 2, 3, 4, 5]");
      HttpWire.Response refused =
          wire.send("POST", "/v2/models/digits/infer", rows.getBytes(UTF_8), Map.of());

      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.text())
          .contains(
              "inference request batch-size must be <= 4 for 'digits', got 5; its configuration"
                  + " states no max_batch_size, and 4 is the default: state another in"
                  + " config.pbtxt");
    }
  }

  @Test
  void theFileIsServedByTheNameOfTheOption() throws IOException {
    try (var server = start("--model-name=digits")) {
      assertServes(server);
      var row = Map.of("name", "digits", "version", "1", "state", "READY");
      assertThat(get(server, "/v2/models"))
          .isEqualTo(Map.of("models", List.of("digits"), "versions", List.of(row)));
      assertThat(Json.member(get(server, "/v2/models/digits"), "versions")).isEqualTo(List.of("1"));
    }
  }

  @Test
  void theConfigurationBesideTheFileIsUsed() throws IOException {
    Files.writeString(
        folder.resolve("config.pbtxt"), "instance_group { kind: KIND_CPU count: 3 }", UTF_8);

    try (var server = start("--model-name=digits")) {
      assertServes(server);
      Object groups = Json.list(get(server, "/v2/models/digits/config"), "instance_group");
      assertThat(groups.toString()).contains("count=3");
    }
  }

  @Test
  void clientsLoadTheModelInExplicitMode() throws IOException {
    try (var server = start("--model-name=digits", "--model-control-mode=explicit");
        var wire = new HttpWire(server.http())) {
      var load = wire.send("POST", "/v2/repository/models/digits/load", new byte[0], Map.of());
      assertThat(load.status()).as(load.text()).isEqualTo(200);
      assertServes(server);
    }
  }

  @Test
  void withoutTheOptionTheFolderHasNoModel() throws IOException {
    try (var server = start()) {
      assertThat(get(server, "/v2/models"))
          .isEqualTo(Map.of("models", List.of(), "versions", List.of()));
    }
  }

  @Test
  void aFolderWithoutAModelFileEndsTheStart() throws IOException {
    Files.delete(folder.resolve("model.onnx"));

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> start("--model-name=digits").close());
  }
}
