package io.nereid.tck.grpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.support.Json;
import io.nereid.tck.support.Samples;
import io.nereid.tck.wire.InferParameter;
import io.nereid.tck.wire.InferTensorContents;
import io.nereid.tensor.DataType;
import java.util.List;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Inference with tensors as raw bytes and as typed contents. */
public abstract class GrpcInferVerification extends GrpcVerification {
  @Rule("GRPC-INFER-01")
  void addsAndSubtracts() {
    var response = infer(simple());

    assertThat(response.getModelName()).isEqualTo("simple");
    assertThat(response.getModelVersion()).isEqualTo("1");
    assertThat(response.getId()).isEmpty();
    assertThat(raw(response, "OUTPUT0")).isEqualTo(SUMS);
    assertThat(raw(response, "OUTPUT1")).isEqualTo(ints(new int[16]));
    assertThat(shapeOf(response, 0)).containsExactly(1L, 16L);
    assertThat(response.getOutputs(0).getDatatype()).isEqualTo("INT32");
  }

  @Rule("GRPC-INFER-02")
  void echoesAnId() {
    assertThat(infer(simple().setId("Ü-1")).getId()).isEqualTo("Ü-1");
  }

  @RuleCases("GRPC-INFER-03")
  @EnumSource
  void carriesEveryDataTypeAsRawBytes(DataType type) {
    var bytes = ByteString.copyFrom(Samples.bytes(type));
    var response = infer(request(Samples.model(type), input("INPUT0", type.name(), 3), bytes));

    assertThat(raw(response, "OUTPUT0")).isEqualTo(bytes);
    assertThat(shapeOf(response, 0)).containsExactly(3L);
    assertThat(response.getOutputs(0).getDatatype()).isEqualTo(type.name());
  }

  @RuleCases("GRPC-INFER-04")
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"FP16", "BF16"})
  void carriesEveryDataTypeThatContentsCanAndAnswersInRawBytes(DataType type) {
    var input = input("INPUT0", type.name(), 3).setContents(contents(type));
    var response = infer(request(Samples.model(type), input));

    assertThat(raw(response, "OUTPUT0")).isEqualTo(ByteString.copyFrom(Samples.bytes(type)));
    assertThat(response.getOutputs(0).hasContents()).isFalse();
  }

  /** The elements of {@link Samples}. */
  static InferTensorContents contents(DataType type) {
    var contents = InferTensorContents.newBuilder();
    for (Object value : (List<?>) Json.parse(Samples.json(type).getBytes(UTF_8))) {
      switch (type) {
        case BOOL -> contents.addBoolContents((Boolean) value);
        case UINT8, UINT16, UINT32 -> contents.addUintContents(((Number) value).intValue());
        case UINT64 -> contents.addUint64Contents(((Number) value).longValue());
        case INT8, INT16, INT32 -> contents.addIntContents(((Number) value).intValue());
        case INT64 -> contents.addInt64Contents(((Number) value).longValue());
        case FP32 -> contents.addFp32Contents(((Number) value).floatValue());
        case FP64 -> contents.addFp64Contents(((Number) value).doubleValue());
        case BYTES -> contents.addBytesContents(ByteString.copyFromUtf8((String) value));
        case FP16, BF16 -> throw new IllegalArgumentException(type + " has no contents");
      }
    }
    return contents.build();
  }

  @Rule("GRPC-INFER-05")
  void returnsOnlyTheOutputsThatAreRequested() {
    var response = infer(simple().addOutputs(output("OUTPUT1")));

    assertThat(response.getOutputsCount()).isEqualTo(1);
    assertThat(response.getOutputs(0).getName()).isEqualTo("OUTPUT1");
    assertThat(response.getRawOutputContentsCount()).isEqualTo(1);
  }

  @Rule("GRPC-INFER-06")
  void carriesATensorWithoutElements() {
    var request = request("identity_fp32", input("INPUT0", "FP32", 0), ByteString.EMPTY);

    var raw = infer(request);
    assertThat(raw(raw, "OUTPUT0")).isEmpty();
    assertThat(shapeOf(raw, 0)).containsExactly(0L);

    var empty = InferTensorContents.getDefaultInstance();
    request.clearRawInputContents().getInputsBuilder(0).setContents(empty);
    assertThat(raw(infer(request), "OUTPUT0")).isEmpty();
  }

  @Rule("GRPC-INFER-07")
  void handsParametersToTheModelAndBack() {
    var request =
        request("identity_int32", input("INPUT0", "INT32", 1), ints(1))
            .putParameters("s", parameter("text"))
            .putParameters("i", parameter(-7))
            .putParameters("b", parameter(true))
            .putParameters("d", InferParameter.newBuilder().setDoubleParam(0.25).build());

    assertThat(infer(request).getParametersMap()).containsAllEntriesOf(request.getParametersMap());
  }

  @RuleCases("GRPC-INFER-08")
  @CsvSource({"'',3", "1,1", "3,3"})
  void runsTheVersionThatIsRequestedOrTheNewest(String version, String actual) {
    var request =
        request("two_versions", input("INPUT0", "INT32", 1), ints(1)).setModelVersion(version);
    assertThat(infer(request).getModelVersion()).isEqualTo(actual);
  }

  @Rule("GRPC-INFER-09")
  void ignoresSurplusRawContents() {
    var response = infer(simple().addRawInputContents(ROW));
    assertThat(response.getRawOutputContentsCount()).isEqualTo(2);
  }

  @Rule("GRPC-INFER-10")
  void carriesAMessageOfManyMegabytes() {
    byte[] bytes = new byte[24 << 20];
    bytes[bytes.length - 1] = 7;
    var input = input("INPUT0", "UINT8", bytes.length);
    var request = request("identity_uint8", input, ByteString.copyFrom(bytes));
    assertThat(raw(infer(request), "OUTPUT0").toByteArray()).isEqualTo(bytes);
  }

  @Rule("GRPC-INFER-11")
  void takesTheLowBytesOfIntegerContents() {
    var contents = InferTensorContents.newBuilder().addIntContents(300).build();
    var request = request("identity_int8", input("INPUT0", "INT8", 1).setContents(contents));
    assertThat(raw(infer(request), "OUTPUT0").byteAt(0)).isEqualTo((byte) 44);
  }
}
