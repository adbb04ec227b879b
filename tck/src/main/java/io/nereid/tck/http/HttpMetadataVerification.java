package io.nereid.tck.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.RuleTable;
import io.nereid.tck.support.Json;
import io.nereid.tck.support.Samples;
import io.nereid.tensor.DataType;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.provider.EnumSource;

/** Metadata and configurations of a server and its models. */
public abstract class HttpMetadataVerification extends HttpVerification {
  /** The extensions in the order of the protocol; a server may have some of them. */
  private static final List<String> EXTENSIONS =
      List.of(
          "classification",
          "sequence",
          "model_repository",
          "model_repository(unload_dependents)",
          "schedule_policy",
          "model_configuration",
          "system_shared_memory",
          "cuda_shared_memory",
          "binary_tensor_data",
          "parameters",
          "statistics",
          "trace",
          "logging");

  private static List<String> texts(List<?> values) {
    return values.stream().map(String::valueOf).toList();
  }

  private Object describe(String target) {
    return answered(get(target));
  }

  @Rule("HTTP-METADATA-01")
  void namesTheServerItsVersionAndItsExtensions() {
    var server = describe("/v2");

    assertThat(Json.member(server, "name")).isInstanceOf(String.class);
    assertThat(Json.string(server, "version")).isNotEmpty();
    assertThat(Json.list(server, "extensions").toArray())
        .contains("model_configuration", "binary_tensor_data", "parameters");
    assertThat(EXTENSIONS).containsSubsequence(texts(Json.list(server, "extensions")));
  }

  @RuleTable(
      """
      HTTP-METADATA-02 | simple                  | {"name":"simple","versions":["1"],"platform":"tck_add_sub","inputs":[{"name":"INPUT0","datatype":"INT32","shape":[-1,16]},{}],"outputs":[{},{"name":"OUTPUT1","shape":[-1,16]}]}
      HTTP-METADATA-04 | two_versions            | {"versions":["1","3"]}
      HTTP-METADATA-04 | two_versions/versions/1 | {"versions":["1"]}
      HTTP-CONFIG-01   | simple/config           | {"name":"simple","backend":"tck_add_sub","max_batch_size":8,"input":[{"data_type":"TYPE_INT32","format":"FORMAT_NONE"},{}]}
      HTTP-CONFIG-02   | simple/config           | {"input":[{"dims":[16]},{}]}
      HTTP-CONFIG-03   | simple/config           | {"version_policy":{"latest":{"num_versions":1}},"instance_group":[{"kind":"KIND_CPU"}]}
      HTTP-CONFIG-04   | identity_fp32/config    | {"max_batch_size":0,"platform":"","input":[{"optional":false}]}
      """)
  void describesAModelAndItsConfiguration(String target, String expected) {
    Json.assertHas(describe("/v2/models/" + target), expected);
  }

  @RuleCases("HTTP-METADATA-03")
  @EnumSource
  void namesEveryDataTypeAsTheProtocolDoes(DataType type) {
    var model = describe("/v2/models/" + Samples.model(type));

    var input = Json.list(model, "inputs").getFirst();
    assertThat(Json.member(input, "datatype")).isEqualTo(type.name());
    assertThat(shape(input)).containsExactly(-1L);
  }

  @Rule("HTTP-METADATA-05")
  void writesMembersInTheOrderOfTheProtocol() {
    assertThat(members(Json.parse(get("/v2").body()))).isEqualTo("name version extensions");
    assertThat(members(Json.parse(get("/v2/models/simple").body())))
        .isEqualTo("name versions platform inputs outputs");
  }

  @RuleTable(
      """
      HTTP-METADATA-06 | unknown                  | Request for unknown model: 'unknown' is not found
      HTTP-METADATA-06 | unknown/config           | Request for unknown model: 'unknown' is not found
      HTTP-METADATA-07 | simple/versions/7        | Request for unknown model: 'simple' version 7 is not found
      HTTP-METADATA-07 | simple/versions/7/config | Request for unknown model: 'simple' version 7 is not found
      """)
  void rejectsAnUnknownModelOrVersion(String target, String text) {
    rejected(get("/v2/models/" + target), 404, text);
  }

  @Rule("HTTP-METADATA-08")
  void listsTheNamesOfModelsThatAreReady() {
    var response = get("/v2/models");
    assumeThat(response.status()).as("models are not listed").isNotEqualTo(404);

    assertThat(texts(Json.list(answered(response), "models")))
        .contains("simple", "two_versions", "identity_fp32")
        .doesNotHaveDuplicates();
  }

  @Rule("HTTP-METADATA-09")
  void listsTheStatesOfVersionsBesideTheModels() {
    var response = get("/v2/models");
    var list = response.status() == 200 ? Json.parse(response.body()) : Map.of();
    assumeThat(list instanceof Map<?, ?> object && object.containsKey("versions"))
        .as("versions are listed")
        .isTrue();

    assertThat(Json.list(list, "versions").toArray())
        .contains(
            Map.of("name", "two_versions", "version", "1", "state", "READY"),
            Map.of("name", "two_versions", "version", "3", "state", "READY"));
  }

  @Rule("HTTP-CONFIG-03")
  void namesAndCountsTheInstancesOfAModel() {
    var group = Json.list(describe("/v2/models/simple/config"), "instance_group").getFirst();
    assertThat(Json.string(group, "name")).isNotEmpty();
    assertThat(Json.number(group, "count")).isPositive();
  }
}
