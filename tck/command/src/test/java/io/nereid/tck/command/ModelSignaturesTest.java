package io.nereid.tck.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.TckModels;
import io.nereid.tck.support.Json;
import java.util.List;
import org.junit.jupiter.api.Test;

class ModelSignaturesTest {
  private final List<?> models = (List<?>) Json.parse(ModelSignatures.json().getBytes(UTF_8));

  private Object model(String name) {
    return models.stream()
        .filter(model -> Json.member(model, "name").equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void describesEveryModelWithEachOfItsTensors() {
    assertThat(models.stream().map(model -> Json.member(model, "name")).toList())
        .isEqualTo(TckModels.names());
    for (String name : TckModels.names()) {
      assertThat(Json.list(model(name), "inputs"))
          .as("inputs of " + name)
          .hasSameSizeAs(TckModels.config(name).lines().filter(l -> l.startsWith("input")).toList())
          .isNotEmpty();
      assertThat(Json.list(model(name), "outputs"))
          .as("outputs of " + name)
          .hasSameSizeAs(
              TckModels.config(name).lines().filter(l -> l.startsWith("output")).toList())
          .isNotEmpty();
    }
  }

  @Test
  void aBatchIsTheFirstDimensionAndTypesHaveTheProtocolsNames() {
    Json.assertHas(
        model("simple"),
        """
        {"versions":["1"],"computes":"add_sub","max_batch_size":8,
          "inputs":[{"name":"INPUT0","datatype":"INT32","shape":[-1,16]},{"name":"INPUT1"}],
          "outputs":[{"name":"OUTPUT0"},{"name":"OUTPUT1","datatype":"INT32","shape":[-1,16]}]}
        """);
    Json.assertHas(
        model("identity_bytes"),
        """
        {"computes":"echo","max_batch_size":0,"inputs":[{"datatype":"BYTES","shape":[-1]}]}
        """);
  }

  @Test
  void saysWhichVersionsThereAreAndWhichInputsMayBeLeftOut() {
    Json.assertHas(model("two_versions"), "{\"versions\":[\"1\",\"3\"]}");
    Json.assertHas(model("optional_inputs"), "{\"inputs\":[{},{\"optional\":true}]}");
    Object required = Json.list(model("optional_inputs"), "inputs").getFirst();
    assertThat(Json.object(required).containsKey("optional")).isFalse();
  }
}
