package io.nereid.tck.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.nereid.tck.Rule;
import io.nereid.tck.support.Samples;
import io.nereid.tck.wire.ModelConfigRequest;
import io.nereid.tck.wire.ModelMetadataRequest;
import io.nereid.tck.wire.ModelMetadataResponse;
import io.nereid.tck.wire.ServerMetadataRequest;
import io.nereid.tensor.DataType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Metadata and configurations of a server and its models. */
public abstract class MetadataVerification extends GrpcVerification {
  private ModelMetadataResponse metadata(String name, String version) {
    return calls()
        .modelMetadata(ModelMetadataRequest.newBuilder().setName(name).setVersion(version).build());
  }

  private void config(String name, String version) {
    var request = ModelConfigRequest.newBuilder().setName(name).setVersion(version).build();
    assertThat(calls().modelConfig(request).hasConfig()).isTrue();
  }

  @Test
  @Rule("GRPC-METADATA-01")
  void namesTheServerItsVersionAndItsExtensions() {
    var server = calls().serverMetadata(ServerMetadataRequest.getDefaultInstance());

    assertThat(server.getName()).isNotEmpty();
    assertThat(server.getVersion()).isNotEmpty();
    assertThat(server.getExtensionsList())
        .contains("model_configuration", "binary_tensor_data", "parameters");
  }

  @Test
  @Rule("GRPC-METADATA-02")
  void describesAModelThatBatches() {
    var model = metadata("simple", "");

    assertThat(model.getName()).isEqualTo("simple");
    assertThat(model.getVersionsList()).containsExactly("1");
    assertThat(model.getPlatform()).isEqualTo("tck_add_sub");
    assertThat(model.getInputsCount()).isEqualTo(2);
    assertThat(model.getInputs(0).getName()).isEqualTo("INPUT0");
    assertThat(model.getInputs(0).getDatatype()).isEqualTo("INT32");
    assertThat(model.getInputs(0).getShapeList()).containsExactly(-1L, 16L);
    assertThat(model.getOutputs(1).getName()).isEqualTo("OUTPUT1");
    assertThat(model.getOutputs(1).getShapeList()).containsExactly(-1L, 16L);
  }

  @ParameterizedTest
  @EnumSource
  @Rule("GRPC-METADATA-03")
  void namesEveryDataTypeAsTheProtocolDoes(DataType type) {
    var input = metadata(Samples.model(type), "").getInputs(0);

    assertThat(input.getDatatype()).isEqualTo(type.name());
    assertThat(input.getShapeList()).containsExactly(-1L);
  }

  @Test
  @Rule("GRPC-METADATA-04")
  void listsReadyVersionsAscendingOrTheOneThatIsRequested() {
    assertThat(metadata("two_versions", "").getVersionsList()).containsExactly("1", "3");
    assertThat(metadata("two_versions", "1").getVersionsList()).containsExactly("1");
  }

  @Test
  @Rule("GRPC-METADATA-05")
  void rejectsAnUnknownModel() {
    assertNotFound("unknown", "", "Request for unknown model: 'unknown' is not found");
  }

  private void assertNotFound(String name, String version, String text) {
    rejected(() -> metadata(name, version), Status.Code.NOT_FOUND, text);
    rejected(() -> config(name, version), Status.Code.NOT_FOUND, text);
  }

  @Test
  @Rule("GRPC-METADATA-06")
  void rejectsAnUnknownVersion() {
    assertNotFound("simple", "7", "Request for unknown model: 'simple' version 7 is not found");
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", " ", "a1", "9223372036854775808"})
  @Rule("GRPC-METADATA-07")
  void rejectsAVersionThatIsNoNumber(String version) {
    rejected(
        () -> metadata("simple", version),
        Status.Code.INVALID_ARGUMENT,
        "failed to get model version from specified version string '%s' (details: stol), version should be an integral value > 0"
            .formatted(version));
  }

  @Test
  @Rule("GRPC-METADATA-07")
  void rejectsANegativeVersion() {
    rejected(
        () -> metadata("simple", "-1"),
        Status.Code.INVALID_ARGUMENT,
        "invalid model version specified '-1' , version should be an integral value > 0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "1a", " 1", "01"})
  @Rule("GRPC-METADATA-08")
  void readsTheNumberThatAVersionBeginsWith(String version) {
    assertThat(metadata("simple", version).getVersionsList()).containsExactly("1");
  }

  @Test
  @Rule("GRPC-CONFIG-01")
  void showsTheConfigurationCompletedWithDefaults() {
    var request = ModelConfigRequest.newBuilder().setName("simple").build();
    var config = calls().modelConfig(request).getConfig();

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
