package io.nereid.tck.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.RuleTable;
import io.nereid.tck.support.Samples;
import io.nereid.tck.wire.ModelConfigResponse;
import io.nereid.tck.wire.ModelMetadataResponse;
import io.nereid.tck.wire.ServerMetadataResponse;
import io.nereid.tensor.DataType;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Metadata and configurations of a server and its models. */
public abstract class GrpcMetadataVerification extends GrpcVerification {
  private ModelMetadataResponse metadata(String model, String version) {
    var request = "name: '%s' version: '%s'".formatted(model, version);
    return (ModelMetadataResponse) call("ModelMetadata", request);
  }

  @Rule("GRPC-METADATA-01")
  void namesTheServerItsVersionAndItsExtensions() {
    var server = (ServerMetadataResponse) call("ServerMetadata", "");

    assertThat(server.getName()).isNotEmpty();
    assertThat(server.getVersion()).isNotEmpty();
    assertThat(server.getExtensionsList())
        .contains("model_configuration", "binary_tensor_data", "parameters");
  }

  @Rule("GRPC-METADATA-02")
  void describesAModelThatBatches() {
    var model = metadata("simple", "");
    assertThat(model)
        .isEqualTo(
            message(
                model,
                """
                name: 'simple' versions: '1' platform: 'tck_add_sub'
                inputs { name: 'INPUT0' datatype: 'INT32' shape: [-1,16] }
                inputs { name: 'INPUT1' datatype: 'INT32' shape: [-1,16] }
                outputs { name: 'OUTPUT0' datatype: 'INT32' shape: [-1,16] }
                outputs { name: 'OUTPUT1' datatype: 'INT32' shape: [-1,16] }
                """));
  }

  @RuleCases("GRPC-METADATA-03")
  @EnumSource
  void namesEveryDataTypeAsTheProtocolDoes(DataType type) {
    var input = metadata(Samples.model(type), "").getInputs(0);

    assertThat(input.getDatatype()).isEqualTo(type.name());
    assertThat(input.getShapeList()).containsExactly(-1L);
  }

  @Rule("GRPC-METADATA-04")
  void listsReadyVersionsAscendingOrTheOneThatIsRequested() {
    assertThat(metadata("two_versions", "").getVersionsList()).containsExactly("1", "3");
    assertThat(metadata("two_versions", "1").getVersionsList()).containsExactly("1");
  }

  @RuleTable(
      """
      GRPC-METADATA-05 | ModelMetadata | name: 'unknown'              | NOT_FOUND        | Request for unknown model: 'unknown' is not found
      GRPC-METADATA-05 | ModelConfig   | name: 'unknown'              | NOT_FOUND        | Request for unknown model: 'unknown' is not found
      GRPC-METADATA-06 | ModelMetadata | name: 'simple' version: '7'  | NOT_FOUND        | Request for unknown model: 'simple' version 7 is not found
      GRPC-METADATA-06 | ModelConfig   | name: 'simple' version: '7'  | NOT_FOUND        | Request for unknown model: 'simple' version 7 is not found
      GRPC-METADATA-07 | ModelMetadata | name: 'simple' version: 'x'  | INVALID_ARGUMENT | failed to get model version from specified version string 'x' (details: stol), version should be an integral value > 0
      GRPC-METADATA-07 | ModelMetadata | name: 'simple' version: ' '  | INVALID_ARGUMENT | failed to get model version from specified version string ' ' (details: stol), version should be an integral value > 0
      GRPC-METADATA-07 | ModelMetadata | name: 'simple' version: 'a1' | INVALID_ARGUMENT | failed to get model version from specified version string 'a1' (details: stol), version should be an integral value > 0
      GRPC-METADATA-07 | ModelMetadata | name: 'simple' version: '9223372036854775808' | INVALID_ARGUMENT | failed to get model version from specified version string '9223372036854775808' (details: stol), version should be an integral value > 0
      GRPC-METADATA-07 | ModelMetadata | name: 'simple' version: '-1' | INVALID_ARGUMENT | invalid model version specified '-1' , version should be an integral value > 0
      """)
  void rejectsAnUnknownModelOrVersionAndOneThatIsNoNumber(
      String method, String request, Status.Code code, String text) {
    rejected(method, request, code, text);
  }

  @RuleCases("GRPC-METADATA-08")
  @ValueSource(strings = {"1", "1a", " 1", "01"})
  void readsTheNumberThatAVersionBeginsWith(String version) {
    assertThat(metadata("simple", version).getVersionsList()).containsExactly("1");
  }

  @Rule("GRPC-CONFIG-01")
  void showsTheConfigurationCompletedWithDefaults() {
    var config = ((ModelConfigResponse) call("ModelConfig", "name: 'simple'")).getConfig();

    assertThat(config.getName()).isEqualTo("simple");
    assertThat(config.getBackend()).isEqualTo("tck_add_sub");
    assertThat(config.getMaxBatchSize()).isEqualTo(8);
    assertThat(config.getInput(0).getDataType()).isEqualTo(8); // TYPE_INT32
    assertThat(config.getInput(0).getDimsList()).containsExactly(16L);
    assertThat(config.getVersionPolicy().getLatest().getNumVersions()).isEqualTo(1);
    assertThat(config.getInstanceGroupCount()).isEqualTo(1);
    assertThat(config.getInstanceGroup(0).getKind()).isEqualTo(2); // KIND_CPU
    assertThat(config.getInstanceGroup(0).getCount()).isPositive();
  }
}
