package io.nereid.server.backend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.server.LocalServer;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Models of trees over HTTP: configurations of Triton's FIL backend, none, and columns. */
class TreesServerTest {
  private static final Path RESOURCES = Path.of("..", "backend-trees/src/test/resources");

  /** As FIL's notebooks have it, with a comma behind the first field. */
  private static final String FIL =
      """
      backend: "fil",
      max_batch_size: 8
      input [ { name: "input__0" data_type: TYPE_FP32 dims: [ 4 ] } ]
      output [
        { name: "output__0" data_type: TYPE_FP32 dims: [ 1 ] },
        { name: "treeshap_output" data_type: TYPE_FP32 dims: [ 5 ] }
      ]
      instance_group [ { kind: KIND_AUTO } ]
      parameters [
        { key: "model_type" value: { string_value: "xgboost_json" } },
        { key: "predict_proba" value: { string_value: "false" } },
        { key: "is_classifier" value: { string_value: "true" } },
        { key: "threshold" value: { string_value: "0.5" } },
        { key: "storage_type" value: { string_value: "AUTO" } }
      ]
      dynamic_batching {}
      """;

  private static final String ROWS =
      "{\"name\":\"input__0\",\"datatype\":\"FP32\",\"shape\":[2,4],\"data\":[%s,0,0,0,0,0,0,0]}"
          .formatted("null");

  @TempDir private Path repository;

  private Path version(String name, String config) throws Exception {
    return config.isEmpty()
        ? Files.createDirectories(repository.resolve(name).resolve("1"))
        : ModelOnDisk.of(repository, name, config).path().resolve("1");
  }

  private static String infer(LocalServer server, String model, String inputs) {
    byte[] body = ("{\"inputs\":[" + inputs + "]}").getBytes(UTF_8);
    try (var wire = new HttpWire(server.http())) {
      return wire.send("POST", "/v2/models/" + model + "/infer", body, Map.of()).text();
    }
  }

  @Test
  void aConfigurationOfFilAnswersAsFilDoes() throws Exception {
    Files.copy(
        RESOURCES.resolve("models/xgb_logistic_2/model.json"),
        version("classes", FIL).resolve("xgboost.json"));
    try (var server = new LocalServer(repository)) {
      var answer = server.infer("classes", "{\"inputs\":[" + ROWS + "]}");
      Object classes = LocalServer.output(answer, "output__0");
      assertThat(Json.list(classes, "shape")).hasToString("[2]");
      assertThat(Json.list(classes, "data").toString()).matches("\\[[01](\\.0)?, [01](\\.0)?\\]");
      Object contributions = LocalServer.output(answer, "treeshap_output");
      assertThat(Json.list(contributions, "shape")).hasToString("[2, 5]");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"model.json", "xgboost.json", "xgboost.model"})
  void aModelWithoutAConfigurationIsFoundByItsFile(String file) throws Exception {
    Files.copy(
        RESOURCES.resolve("models/xgb_logistic_2/model.json"), version("plain", "").resolve(file));
    try (var server = new LocalServer(repository)) {
      var answer =
          server.infer("plain", "{\"inputs\":[" + ROWS.replace("input__0", "input") + "]}");
      assertThat(Json.list(LocalServer.output(answer, "prediction"), "shape"))
          .hasToString("[2, 1]");
    }
  }

  @Test
  void columnsAreInputsInAnyOrderAndMayBeAbsent() throws Exception {
    String config =
        """
        backend: "trees"
        parameters { key: "columns" value: { string_value: "true" } }
        """;
    Files.copy(
        RESOURCES.resolve("columns/xgb/model.json"), version("rows", config).resolve("model.json"));
    try (var server = new LocalServer(repository)) {
      String city = "{\"name\":\"city\",\"datatype\":\"BYTES\",\"shape\":[2,1],\"data\":[%s]}";
      String age = "{\"name\":\"age\",\"datatype\":\"FP64\",\"shape\":[2,1],\"data\":[61,null]}";

      String answer = infer(server, "rows", city.formatted("\"oslo\",null") + "," + age);
      assertThat(answer).contains("\"shape\":[2,1]");
      assertThat(infer(server, "rows", age + "," + city.formatted("\"oslo\",\"\"")))
          .isEqualTo(answer);
      assertThat(infer(server, "rows", city.formatted("\"oslo\",\"paris\"") + "," + age))
          .contains("input 'city', row 1: the category 'paris' is unknown, which must be one of");
      assertThat(infer(server, "rows", age.replace("age", "aged")))
          .contains("unexpected inference input 'aged' for model 'rows'");
      assertThat(
              infer(
                  server, "rows", age + "," + city.replace("[2,1]", "[1,1]").formatted("\"oslo\"")))
          .contains("error");
    }
  }
}
