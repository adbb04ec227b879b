package io.nereid.tck.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.tck.Rule;
import io.nereid.tck.support.Json;
import io.nereid.tck.support.Samples;
import io.nereid.tensor.DataType;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Metadata and configurations of a server and its models. */
public abstract class MetadataVerification extends HttpVerification {
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

  @Test
  @Rule("HTTP-METADATA-01")
  void namesTheServerItsVersionAndItsExtensions() {
    var server = describe("/v2");

    assertThat(Json.member(server, "name")).isInstanceOf(String.class);
    assertThat((String) Json.member(server, "version")).isNotEmpty();
    assertThat(Json.list(server, "extensions").toArray())
        .contains("model_configuration", "binary_tensor_data", "parameters");
    assertThat(EXTENSIONS).containsSubsequence(texts(Json.list(server, "extensions")));
  }

  @Test
  @Rule("HTTP-METADATA-02")
  void describesAModelThatBatches() {
    var model = describe("/v2/models/simple");

    assertThat(Json.member(model, "name")).isEqualTo("simple");
    assertThat(Json.member(model, "versions")).isEqualTo(List.of("1"));
    assertThat(Json.member(model, "platform")).isEqualTo("tck_add_sub");
    assertThat(Json.list(model, "inputs")).hasSize(2);
    var input = Json.list(model, "inputs").getFirst();
    assertThat(Json.member(input, "name")).isEqualTo("INPUT0");
    assertThat(Json.member(input, "datatype")).isEqualTo("INT32");
    assertThat(shape(input)).containsExactly(-1L, 16L);
    var output = Json.list(model, "outputs").getLast();
    assertThat(Json.member(output, "name")).isEqualTo("OUTPUT1");
    assertThat(shape(output)).containsExactly(-1L, 16L);
  }

  @ParameterizedTest
  @EnumSource
  @Rule("HTTP-METADATA-03")
  void namesEveryDataTypeAsTheProtocolDoes(DataType type) {
    var model = describe("/v2/models/" + Samples.model(type));

    var input = Json.list(model, "inputs").getFirst();
    assertThat(Json.member(input, "datatype")).isEqualTo(type.name());
    assertThat(shape(input)).containsExactly(-1L);
  }

  @Test
  @Rule("HTTP-METADATA-04")
  void listsReadyVersionsAscendingOrTheOneThatIsRequested() {
    assertThat(Json.member(describe("/v2/models/two_versions"), "versions"))
        .isEqualTo(List.of("1", "3"));
    assertThat(Json.member(describe("/v2/models/two_versions/versions/1"), "versions"))
        .isEqualTo(List.of("1"));
  }

  @Test
  @Rule("HTTP-METADATA-05")
  void writesMembersInTheOrderOfTheProtocol() {
    assertThat(members(Json.parse(get("/v2").body()))).isEqualTo("name version extensions");
    assertThat(members(Json.parse(get("/v2/models/simple").body())))
        .isEqualTo("name versions platform inputs outputs");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          HTTP-METADATA-06 | unknown                  | Request for unknown model: 'unknown' is not found
          HTTP-METADATA-06 | unknown/config           | Request for unknown model: 'unknown' is not found
          HTTP-METADATA-07 | simple/versions/7        | Request for unknown model: 'simple' version 7 is not found
          HTTP-METADATA-07 | simple/versions/7/config | Request for unknown model: 'simple' version 7 is not found
          """)
  @Rule
  void rejectsAnUnknownModelOrVersion(String rule, String target, String text) {
    rejected(get("/v2/models/" + target), 404, text);
  }

  @Test
  @Rule("HTTP-METADATA-08")
  void listsTheNamesOfModelsThatAreReady() {
    var response = get("/v2/models");
    assumeThat(response.status()).as("models are not listed").isNotEqualTo(404);

    assertThat(texts(Json.list(answered(response), "models")))
        .contains("simple", "two_versions", "identity_fp32")
        .doesNotHaveDuplicates();
  }

  @Test
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

  @Test
  @Rule("HTTP-CONFIG-01")
  void showsAConfigurationWithSnakeCaseNamesAndEnumsByName() {
    var config = describe("/v2/models/simple/config");

    assertThat(Json.member(config, "name")).isEqualTo("simple");
    assertThat(Json.member(config, "backend")).isEqualTo("tck_add_sub");
    assertThat(Json.member(config, "max_batch_size")).isEqualTo(new BigDecimal(8));
    var input = Json.list(config, "input").getFirst();
    assertThat(Json.member(input, "data_type")).isEqualTo("TYPE_INT32");
    assertThat(Json.member(input, "format")).isEqualTo("FORMAT_NONE");
  }

  @Test
  @Rule("HTTP-CONFIG-02")
  void writesDimensionsAsNumbers() {
    var input = Json.list(describe("/v2/models/simple/config"), "input").getFirst();
    assertThat(Json.member(input, "dims")).isEqualTo(List.of(new BigDecimal(16)));
  }

  @Test
  @Rule("HTTP-CONFIG-03")
  void showsTheConfigurationCompletedWithDefaults() {
    var config = describe("/v2/models/simple/config");

    var latest = Json.member(Json.member(config, "version_policy"), "latest");
    assertThat(Json.member(latest, "num_versions")).isEqualTo(BigDecimal.ONE);
    var group = Json.list(config, "instance_group").getFirst();
    assertThat((String) Json.member(group, "name")).isNotEmpty();
    assertThat(Json.member(group, "kind")).isEqualTo("KIND_CPU");
    assertThat(((BigDecimal) Json.member(group, "count")).intValueExact()).isPositive();
  }

  @Test
  @Rule("HTTP-CONFIG-04")
  void printsScalarsThatHaveTheirDefault() {
    var config = describe("/v2/models/identity_fp32/config");

    assertThat(Json.member(config, "max_batch_size")).isEqualTo(BigDecimal.ZERO);
    assertThat(Json.member(config, "platform")).isEqualTo("");
    var input = Json.list(config, "input").getFirst();
    assertThat(Json.member(input, "optional")).isEqualTo(false);
  }
}
