package io.nereid.tck.grpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.nereid.tck.Rule;
import io.nereid.tck.support.Samples;
import io.nereid.tck.wire.InferParameter;
import io.nereid.tck.wire.InferTensorContents;
import io.nereid.tck.wire.ModelInferRequest;
import io.nereid.tck.wire.ModelInferRequest.InferRequestedOutputTensor;
import io.nereid.tensor.DataType;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Inference with tensors as raw bytes and as typed contents. */
public abstract class InferVerification extends GrpcVerification {
  @Test
  @Rule("GRPC-INFER-01")
  void addsAndSubtracts() {
    var response = calls().modelInfer(simple().build());

    assertThat(response.getModelName()).isEqualTo("simple");
    assertThat(response.getModelVersion()).isEqualTo("1");
    assertThat(response.getId()).isEmpty();
    int[] sums = IntStream.range(0, 16).map(i -> 2 * i).toArray();
    assertThat(raw(response, "OUTPUT0")).isEqualTo(ByteString.copyFrom(Samples.ints(sums)));
    assertThat(raw(response, "OUTPUT1")).isEqualTo(ByteString.copyFrom(Samples.ints(new int[16])));
    assertThat(shapeOf(response, 0)).containsExactly(1L, 16L);
    assertThat(response.getOutputs(0).getDatatype()).isEqualTo("INT32");
  }

  @Test
  @Rule("GRPC-INFER-02")
  void echoesAnId() {
    assertThat(calls().modelInfer(simple().setId("Ü-1").build()).getId()).isEqualTo("Ü-1");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("GRPC-INFER-03")
  void carriesEveryDataTypeAsRawBytes(DataType type) {
    var bytes = ByteString.copyFrom(Samples.bytes(type));
    var response =
        calls()
            .modelInfer(
                ModelInferRequest.newBuilder()
                    .setModelName(Samples.model(type))
                    .addInputs(input("INPUT0", type.name(), 3))
                    .addRawInputContents(bytes)
                    .build());

    assertThat(raw(response, "OUTPUT0")).isEqualTo(bytes);
    assertThat(shapeOf(response, 0)).containsExactly(3L);
    assertThat(response.getOutputs(0).getDatatype()).isEqualTo(type.name());
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"FP16", "BF16"})
  @Rule("GRPC-INFER-04")
  void carriesEveryDataTypeThatContentsCanAndAnswersInRawBytes(DataType type) {
    var response =
        calls()
            .modelInfer(
                ModelInferRequest.newBuilder()
                    .setModelName(Samples.model(type))
                    .addInputs(input("INPUT0", type.name(), 3).setContents(contents(type)))
                    .build());

    assertThat(raw(response, "OUTPUT0")).isEqualTo(ByteString.copyFrom(Samples.bytes(type)));
    assertThat(response.getOutputs(0).hasContents()).isFalse();
  }

  private static InferTensorContents contents(DataType type) {
    var contents = InferTensorContents.newBuilder();
    switch (type) {
      case BOOL -> contents.addBoolContents(true).addBoolContents(false).addBoolContents(true);
      case UINT8 -> contents.addUintContents(0).addUintContents(1).addUintContents(255);
      case UINT16 -> contents.addUintContents(0).addUintContents(1).addUintContents(65535);
      case UINT32 -> contents.addUintContents(0).addUintContents(1).addUintContents(-1);
      case UINT64 -> contents.addUint64Contents(0).addUint64Contents(1).addUint64Contents(-1);
      case INT8 -> contents.addIntContents(-128).addIntContents(0).addIntContents(127);
      case INT16 -> contents.addIntContents(-32768).addIntContents(0).addIntContents(32767);
      case INT32 ->
          contents
              .addIntContents(Integer.MIN_VALUE)
              .addIntContents(0)
              .addIntContents(Integer.MAX_VALUE);
      case INT64 ->
          contents
              .addInt64Contents(Long.MIN_VALUE)
              .addInt64Contents(0)
              .addInt64Contents(Long.MAX_VALUE);
      case FP32 ->
          contents.addFp32Contents(0.1f).addFp32Contents(-1.5f).addFp32Contents(Float.MAX_VALUE);
      case FP64 ->
          contents.addFp64Contents(0.1).addFp64Contents(-1.5).addFp64Contents(Double.MAX_VALUE);
      case BYTES ->
          Samples.STRINGS.forEach(
              text -> contents.addBytesContents(ByteString.copyFrom(text.getBytes(UTF_8))));
      case FP16, BF16 -> throw new IllegalArgumentException(type + " has no contents");
    }
    return contents.build();
  }

  @Test
  @Rule("GRPC-INFER-05")
  void returnsOnlyTheOutputsThatAreRequested() {
    var output = InferRequestedOutputTensor.newBuilder().setName("OUTPUT1");
    var response = calls().modelInfer(simple().addOutputs(output).build());

    assertThat(response.getOutputsCount()).isEqualTo(1);
    assertThat(response.getOutputs(0).getName()).isEqualTo("OUTPUT1");
    assertThat(response.getRawOutputContentsCount()).isEqualTo(1);
  }

  @Test
  @Rule("GRPC-INFER-06")
  void carriesATensorWithoutElements() {
    var request =
        ModelInferRequest.newBuilder()
            .setModelName("identity_fp32")
            .addInputs(input("INPUT0", "FP32", 0));

    var raw = calls().modelInfer(request.addRawInputContents(ByteString.EMPTY).build());
    assertThat(raw(raw, "OUTPUT0")).isEmpty();
    assertThat(shapeOf(raw, 0)).containsExactly(0L);

    var empty = InferTensorContents.getDefaultInstance();
    request.clearRawInputContents().getInputsBuilder(0).setContents(empty);
    assertThat(raw(calls().modelInfer(request.build()), "OUTPUT0")).isEmpty();
  }

  @Test
  @Rule("GRPC-INFER-07")
  void handsParametersToTheModelAndBack() {
    var request =
        ModelInferRequest.newBuilder()
            .setModelName("identity_int32")
            .addInputs(input("INPUT0", "INT32", 1))
            .addRawInputContents(ByteString.copyFrom(Samples.ints(1)))
            .putParameters("s", InferParameter.newBuilder().setStringParam("text").build())
            .putParameters("i", InferParameter.newBuilder().setInt64Param(-7).build())
            .putParameters("b", InferParameter.newBuilder().setBoolParam(true).build())
            .putParameters("d", InferParameter.newBuilder().setDoubleParam(0.25).build());

    assertThat(calls().modelInfer(request.build()).getParametersMap())
        .containsAllEntriesOf(request.getParametersMap());
  }

  @ParameterizedTest
  @CsvSource({"'',3", "1,1", "3,3"})
  @Rule("GRPC-INFER-08")
  void runsTheVersionThatIsRequestedOrTheNewest(String version, String actual) {
    var request =
        ModelInferRequest.newBuilder()
            .setModelName("two_versions")
            .setModelVersion(version)
            .addInputs(input("INPUT0", "INT32", 1))
            .addRawInputContents(ByteString.copyFrom(Samples.ints(1)));
    assertThat(calls().modelInfer(request.build()).getModelVersion()).isEqualTo(actual);
  }

  @Test
  @Rule("GRPC-INFER-09")
  void ignoresSurplusRawContents() {
    var response = calls().modelInfer(simple().addRawInputContents(ROW).build());
    assertThat(response.getRawOutputContentsCount()).isEqualTo(2);
  }

  @Test
  @Rule("GRPC-INFER-10")
  void carriesAMessageOfManyMegabytes() {
    byte[] bytes = new byte[24 << 20];
    bytes[bytes.length - 1] = 7;
    var request =
        ModelInferRequest.newBuilder()
            .setModelName("identity_uint8")
            .addInputs(input("INPUT0", "UINT8", bytes.length))
            .addRawInputContents(ByteString.copyFrom(bytes));
    assertThat(raw(calls().modelInfer(request.build()), "OUTPUT0").toByteArray()).isEqualTo(bytes);
  }

  @Test
  @Rule("GRPC-INFER-11")
  void takesTheLowBytesOfIntegerContents() {
    var contents = InferTensorContents.newBuilder().addIntContents(300).build();
    var request =
        ModelInferRequest.newBuilder()
            .setModelName("identity_int8")
            .addInputs(input("INPUT0", "INT8", 1).setContents(contents));
    assertThat(raw(calls().modelInfer(request.build()), "OUTPUT0").byteAt(0)).isEqualTo((byte) 44);
  }
}
