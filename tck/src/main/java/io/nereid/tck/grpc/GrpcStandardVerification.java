package io.nereid.tck.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import io.grpc.StatusRuntimeException;
import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.support.Samples;
import io.nereid.tck.wire.InferTensorContents;
import io.nereid.tck.wire.ModelInferRequest;
import io.nereid.tck.wire.ModelInferResponse;
import io.nereid.tck.wire.ModelInferResponse.InferOutputTensor;
import io.nereid.tck.wire.ModelMetadataResponse;
import io.nereid.tck.wire.ModelMetadataResponse.TensorMetadata;
import io.nereid.tck.wire.ModelReadyResponse;
import io.nereid.tck.wire.ServerLiveResponse;
import io.nereid.tck.wire.ServerMetadataResponse;
import io.nereid.tck.wire.ServerReadyResponse;
import io.nereid.tensor.DataType;
import java.util.List;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the Open Inference Protocol says of gRPC, and nothing more: outputs in contents or as bytes,
 * any code and text of an error.
 */
public abstract class GrpcStandardVerification extends GrpcVerification {
  @Rule("GRPC-STANDARD-01")
  void isLiveAndReady() {
    assertThat(((ServerLiveResponse) call("ServerLive", "")).getLive()).isTrue();
    assertThat(((ServerReadyResponse) call("ServerReady", "")).getReady()).isTrue();
  }

  @Rule("GRPC-STANDARD-02")
  void saysThatAModelIsReady() {
    var response = (ModelReadyResponse) call("ModelReady", "name: 'simple'");
    assertThat(response.getReady()).isTrue();
  }

  @Rule("GRPC-STANDARD-03")
  void namesItselfAndItsVersion() {
    var server = (ServerMetadataResponse) call("ServerMetadata", "");
    assertThat(server.getName()).isNotEmpty();
    assertThat(server.getVersion()).isNotEmpty();
  }

  @Rule("GRPC-STANDARD-04")
  void describesAModel() {
    var model = (ModelMetadataResponse) call("ModelMetadata", "name: 'simple'");
    assertThat(model.getName()).isEqualTo("simple");
    assertThat(names(model.getInputsList())).containsExactlyInAnyOrder("INPUT0", "INPUT1");
    assertThat(names(model.getOutputsList())).containsExactlyInAnyOrder("OUTPUT0", "OUTPUT1");
  }

  private static List<String> names(List<TensorMetadata> tensors) {
    assertThat(tensors)
        .allSatisfy(tensor -> {
          assertThat(tensor.getDatatype()).isEqualTo("INT32");
          assertThat(tensor.getShapeList()).endsWith(16L);
        });
    return tensors.stream().map(TensorMetadata::getName).toList();
  }

  @Rule("GRPC-STANDARD-05")
  void infers() {
    var response = infer(simple());
    assertThat(response.getModelName()).isEqualTo("simple");
    assertThat(response.getOutputsList()).extracting(InferOutputTensor::getName).hasSize(2);
    assertThat(output(response, "OUTPUT0").getDatatype()).isEqualTo("INT32");
    assertThat(output(response, "OUTPUT0").getShapeList()).containsExactly(1L, 16L);
    assertThat(integers(response, "OUTPUT0")).isEqualTo(SUMS);
    assertThat(integers(response, "OUTPUT1")).isEqualTo(ints(new int[16]));
  }

  @Rule("GRPC-STANDARD-06")
  void returnsTheIdOfARequest() {
    assertThat(infer(simple().setId("42")).getId()).isEqualTo("42");
  }

  @Rule("GRPC-STANDARD-07")
  void returnsTheOutputsThatAreRequested() {
    var response = infer(simple().addOutputs(output("OUTPUT1")));
    assertThat(response.getOutputsList())
        .extracting(InferOutputTensor::getName)
        .containsExactly("OUTPUT1");
    assertThat(integers(response, "OUTPUT1")).isEqualTo(ints(new int[16]));
  }

  @RuleCases("GRPC-STANDARD-08")
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"FP16", "BF16"})
  void carriesEveryDataTypeInContents(DataType type) {
    var input = input("INPUT0", type.name(), 3).setContents(GrpcInferVerification.contents(type));
    carries(type, request(Samples.model(type), input));
  }

  @RuleCases("GRPC-STANDARD-09")
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"BF16"})
  void carriesEveryDataTypeAsBytes(DataType type) {
    var bytes = ByteString.copyFrom(Samples.bytes(type));
    carries(type, request(Samples.model(type), input("INPUT0", type.name(), 3), bytes));
  }

  private void carries(DataType type, ModelInferRequest.Builder request) {
    var response = infer(request);
    assertThat(output(response, "OUTPUT0").getDatatype()).isEqualTo(type.name());
    assertThat(output(response, "OUTPUT0").getShapeList()).containsExactly(3L);
    if (response.getRawOutputContentsCount() == 0) {
      assertThat(output(response, "OUTPUT0").getContents())
          .isEqualTo(GrpcInferVerification.contents(type));
    } else {
      assertThat(raw(response, "OUTPUT0")).isEqualTo(ByteString.copyFrom(Samples.bytes(type)));
    }
  }

  @Rule("GRPC-STANDARD-10")
  void takesARowForEachOfABatch() {
    var rows = ROW.concat(ROW);
    var request =
        request("simple", input("INPUT0", "INT32", 2, 16), rows)
            .addInputs(input("INPUT1", "INT32", 2, 16))
            .addRawInputContents(rows);
    assertThat(integers(infer(request), "OUTPUT0")).isEqualTo(SUMS.concat(SUMS));
  }

  @Rule("GRPC-STANDARD-11")
  void namesAnUnknownModelAsAnError() {
    fails(() -> call("ModelMetadata", "name: 'tck_unknown'"));
    fails(() -> infer(simple().setModelName("tck_unknown")));
  }

  @RuleCases("GRPC-STANDARD-12")
  @ValueSource(
      strings = {
        "model_name: 'simple'",
        "model_name: 'simple' $INPUT0:INT32[1,16] $row",
        "model_name: 'simple' $inputs $row raw_input_contents: 'short'",
        "model_name: 'simple' $INPUT0:INT32[1,16] $OTHER:INT32[1,16] $row $row",
        "model_name: 'simple' $INPUT0:INT32[1,16] $INPUT1:INT33[1,16] $row $row"
      })
  void saysWhatIsWrongWithARequest(String request) {
    fails(() -> call("ModelInfer", request));
    assertThat(integers(infer(simple()), "OUTPUT0")).isEqualTo(SUMS);
  }

  private static void fails(Runnable call) {
    var thrown = catchThrowableOfType(StatusRuntimeException.class, call::run);
    assertThat(thrown).as("the call fails").isNotNull();
    assertThat(thrown.getStatus().getDescription()).as("%s", thrown.getStatus()).isNotBlank();
  }

  private static InferOutputTensor output(ModelInferResponse response, String name) {
    return response.getOutputsList().stream()
        .filter(output -> output.getName().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no output '%s' in %s".formatted(name, response)));
  }

  /** The elements of an output of INT32, little-endian. */
  private static ByteString integers(ModelInferResponse response, String name) {
    if (response.getRawOutputContentsCount() > 0) {
      return raw(response, name);
    }
    InferTensorContents contents = output(response, name).getContents();
    return ints(contents.getIntContentsList().stream().mapToInt(Integer::intValue).toArray());
  }
}
