package io.nereid.server.codec.protobuf;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.testing.Failures;
import io.nereid.error.StatusCode;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferRequest.InferInputTensor;
import io.nereid.request.Parameter;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests also {@link TypedContents} and {@link ProtoParameters}, which the reader calls. */
class ProtoRequestReaderTest {
  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final ModelInferRequest.Builder message =
      ModelInferRequest.newBuilder().setModelName("m");

  @AfterEach
  void releasesAllMemory() {
    assertThat(pool.outstanding()).isZero();
  }

  private DecodedRequest read() {
    byte[] bytes = message.build().toByteArray();
    ProtoRequest request = new ProtoRequestParser((_, _) -> pool).parse(ProtoChunks.input(bytes));
    return ProtoRequestReader.read(request, pool, SharedRegions.NONE);
  }

  private void assertRejected(StatusCode code, String text) {
    Failures.assertRejected(code, text, this::read);
  }

  private void assertInvalid(String text) {
    assertRejected(StatusCode.INVALID_ARGUMENT, text);
  }

  private InferInputTensor.Builder input(String name, String dataType, long... shape) {
    InferInputTensor.Builder input = message.addInputsBuilder().setName(name).setDatatype(dataType);
    for (long dim : shape) {
      input.addShape(dim);
    }
    return input;
  }

  private RequestOptions options(String key, InferParameter value) {
    message.clear().setModelName("m").putParameters(key, value);
    try (DecodedRequest decoded = read()) {
      return decoded.options();
    }
  }

  private static InferParameter number(long value) {
    return InferParameter.newBuilder().setInt64Param(value).build();
  }

  private static InferParameter unsigned(long value) {
    return InferParameter.newBuilder().setUint64Param(value).build();
  }

  private static InferParameter flag(boolean value) {
    return InferParameter.newBuilder().setBoolParam(value).build();
  }

  private static InferParameter text(String value) {
    return InferParameter.newBuilder().setStringParam(value).build();
  }

  private static void fill(InferInputTensor.Builder input, String field) {
    var contents = input.getContentsBuilder();
    switch (field) {
      case "bool" -> contents.addBoolContents(true).addBoolContents(false);
      case "int" -> contents.addIntContents(-2).addIntContents(1);
      case "int64" -> contents.addInt64Contents(-2).addInt64Contents(1);
      case "uint" -> contents.addUintContents(-2).addUintContents(1);
      case "uint64" -> contents.addUint64Contents(-2).addUint64Contents(1);
      case "fp32" -> contents.addFp32Contents(1.5f).addFp32Contents(-0.0f);
      case "fp64" -> contents.addFp64Contents(1.5).addFp64Contents(-0.0);
      case "bytes" ->
          contents
              .addBytesContents(ByteString.copyFromUtf8("ab"))
              .addBytesContents(ByteString.EMPTY);
      default -> throw new AssertionError(field);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "BOOL,bool,0100", "INT8,int,fe01",
    "INT16,int,feff0100", "INT32,int,feffffff01000000",
    "INT64,int64,feffffffffffffff0100000000000000", "UINT8,uint,fe01",
    "UINT16,uint,feff0100", "UINT32,uint,feffffff01000000",
    "UINT64,uint64,feffffffffffffff0100000000000000", "FP32,fp32,0000c03f00000080",
    "FP64,fp64,000000000000f83f0000000000000080", "BYTES,bytes,02000000616200000000"
  })
  void packsTypedContents(String dataType, String field, String packed) {
    fill(input("A", dataType, 2), field);

    try (DecodedRequest decoded = read()) {
      Tensor tensor = decoded.inputs().getFirst();
      assertThat(HexFormat.of().formatHex(tensor.data().toArray(Elements.BYTE))).isEqualTo(packed);
      assertThat(tensor.dataType().name()).isEqualTo(dataType);
      assertThat(decoded.binaryByDefault()).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "INT32,bool,BOOL", "FP32,int,INT32", "INT32,int64,INT64", "INT32,uint,UINT32",
    "INT64,uint64,UINT64", "FP16,fp32,FP32", "BF16,fp64,FP64", "FP32,bytes,BYTES"
  })
  void rejectsContentsOfAnotherType(String dataType, String field, String expected) {
    fill(input("A", dataType, 2), field);

    assertInvalid(
        "unexpected explicit tensor data for input tensor 'A' for model 'm' of type '%s', expected"
                .formatted(expected)
            + " datatype '%s'".formatted(dataType));
  }

  @Test
  void rejectsContentsInTwoFields() {
    InferInputTensor.Builder input = input("A", "INT32", 2);
    fill(input, "int");
    fill(input, "bytes");

    assertInvalid(
        "unexpected explicit tensor data for input tensor 'A' for model 'm', binary data was already"
            + " supplied.");
  }

  @Test
  void halfPrecisionTensorsHaveNoTypedContents() {
    input("A", "FP16", 0).getContentsBuilder();

    try (DecodedRequest decoded = read()) {
      assertThat(decoded.inputs().getFirst().byteSize()).isZero();
    }
  }

  @Test
  void assignsRawContentsToInputsInOrder() {
    input("A", "UINT8", 1);
    input("B", "UINT8", 2);
    message.addRawInputContents(ByteString.copyFrom(new byte[] {1}));
    message.addRawInputContents(ByteString.copyFrom(new byte[] {2, 3}));
    message.addRawInputContents(ByteString.copyFrom(new byte[] {9})); // without an input

    try (DecodedRequest decoded = read()) {
      assertThat(decoded.inputs().get(1).data().toArray(Elements.BYTE)).containsExactly(2, 3);
      assertThat(pool.outstanding()).isEqualTo(2);
    }
  }

  @Test
  void rejectsAnInputWithoutData() {
    input("A", "UINT8", 1);
    assertInvalid("unable to find data for input tensor 'A' for model 'm' in request.");

    input("B", "UINT8", 1);
    message.addRawInputContents(ByteString.copyFrom(new byte[] {1}));
    assertInvalid("unable to find data for input tensor 'B' for model 'm' in request.");
  }

  @Test
  void rejectsRawAndTypedContentsTogether() {
    fill(input("A", "INT32", 2), "int");
    message.addRawInputContents(ByteString.copyFrom(new byte[8]));

    assertInvalid(
        "contents field must not be specified when using raw_input_contents for 'A' for model 'm'");
  }

  @Test
  void rejectsDuplicateNames() {
    input("A", "UINT8", 1);
    input("A", "UINT8", 1);
    message.setId("r").addRawInputContents(ByteString.copyFrom(new byte[] {1}));
    assertInvalid("[request id: r] input 'A' already exists in request");

    message.clearInputs().clearRawInputContents();
    message.addOutputsBuilder().setName("O");
    message.addOutputsBuilder().setName("O");
    assertInvalid("[request id: r] output 'O' already exists in request");
  }

  @Test
  void acceptsOnlyAPositiveIntegerAsClassification() {
    var output = message.addOutputsBuilder().setName("O");
    output.putParameters("classification", number(3));
    try (DecodedRequest decoded = read()) {
      assertThat(decoded.outputs().getFirst().classCount()).isEqualTo(3);
    }

    output.putParameters("classification", number(0));
    assertInvalid("invalid value for 'classification' parameter, expected >= 0");
    output.putParameters("classification", flag(true));
    assertInvalid("invalid value type for 'classification' parameter, expected int64_param");
  }

  @Test
  void rejectsAnUnregisteredSharedMemoryRegion() {
    input("A", "UINT8", 1)
        .putParameters("shared_memory_region", text("r"))
        .putParameters("shared_memory_byte_size", number(1));
    assertRejected(StatusCode.NOT_FOUND, "Unable to find shared memory region: 'r'");
  }

  @ParameterizedTest
  @CsvSource({"shared_memory_offset", "shared_memory_byte_size"})
  void rejectsParametersOfARegionWithoutTheRegion(String parameter) {
    input("A", "UINT8", 1).putParameters(parameter, number(1));
    assertRejected(
        StatusCode.INVALID_ARGUMENT,
        "'"
            + parameter
            + "' can not be specified without 'shared_memory_region' parameter for tensor 'A'");
  }

  @Test
  void rejectsARegionWithoutASize() {
    input("A", "UINT8", 1).putParameters("shared_memory_region", text("r"));
    assertRejected(
        StatusCode.INVALID_ARGUMENT,
        "'shared_memory_byte_size' must be specified along with 'shared_memory_region' parameter"
            + " for tensor 'A'");
  }

  @ParameterizedTest
  @CsvSource({
    "shared_memory_region,string_param",
    "shared_memory_offset,int64_param",
    "shared_memory_byte_size,int64_param"
  })
  void rejectsAParameterOfARegionOfTheWrongType(String parameter, String type) {
    input("A", "UINT8", 1)
        .putParameters("shared_memory_region", text("r"))
        .putParameters("shared_memory_byte_size", number(1))
        .putParameters(parameter, flag(true));
    assertRejected(
        StatusCode.INVALID_ARGUMENT,
        "invalid value type for '%s' parameter for tensor 'A', expected %s."
            .formatted(parameter, type));
  }

  @Test
  void readsReservedParametersAsOptions() {
    assertThat(options("sequence_id", number(-1)).sequenceId())
        .isEqualTo(new SequenceId.OfNumber(-1));
    assertThat(options("sequence_id", text("s")).sequenceId())
        .isEqualTo(new SequenceId.OfString("s"));
    assertThat(options("sequence_id", text("")).sequenceId()).isEqualTo(SequenceId.NONE);
    assertThat(options("sequence_start", flag(true)).sequenceStart()).isTrue();
    assertThat(options("sequence_end", flag(true)).sequenceEnd()).isTrue();
    assertThat(options("priority", unsigned(7)).priority()).isEqualTo(7);
    assertThat(options("priority", number(8)).priority()).isEqualTo(8);
    assertThat(options("timeout", number(9)).timeoutMicros()).isEqualTo(9);
    assertThat(options("priority", unsigned(-1)).priority())
        .as("2^64 - 1")
        .isEqualTo(Long.MAX_VALUE);
    assertThat(options("timeout", number(-1)).timeoutMicros())
        .as("unsigned, as Triton reads it")
        .isEqualTo(Long.MAX_VALUE);
    assertThat(options("triton_enable_empty_final_response", flag(true)).parameters()).isEmpty();
  }

  @Test
  void passesOtherParametersToTheModel() {
    assertThat(options("p", flag(true)).parameters())
        .containsEntry("p", new Parameter.OfBoolean(true));
    assertThat(options("p", number(1)).parameters()).containsEntry("p", new Parameter.OfLong(1));
    assertThat(options("p", text("x")).parameters())
        .containsEntry("p", new Parameter.OfString("x"));
    assertThat(options("p", InferParameter.newBuilder().setDoubleParam(0.5).build()).parameters())
        .containsEntry("p", new Parameter.OfDouble(0.5));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sequence_id|invalid value type for 'sequence_id' parameter, expected int64_param or"
            + " string_param.",
        "sequence_start|invalid value type for 'sequence_start' parameter, expected bool_param.",
        "sequence_end|invalid value type for 'sequence_end' parameter, expected bool_param.",
        "priority|invalid value type for 'priority' parameter, expected int64_param or"
            + " uint64_param.",
        "timeout|invalid value type for 'timeout' parameter, expected int64_param.",
        "other|invalid value type for 'other' parameter, expected int64_param, bool_param, or"
            + " string_param.",
        "triton_x|parameter keys starting with 'triton_' are reserved for Triton usage. Only the"
            + " following keys starting with 'triton_' are allowed:"
            + " triton_enable_empty_final_response"
      })
  void rejectsAParameterWithoutAValue(String key, String text) {
    message.putParameters(key, InferParameter.getDefaultInstance());
    input("A", "UINT8", 1);
    message.addRawInputContents(ByteString.copyFrom(new byte[] {1}));

    assertInvalid(text);
  }

  @Test
  void rejectsANegativePriorityAndALongSequenceId() {
    message.putParameters("priority", number(-1));
    assertInvalid("invalid value for 'priority', expected value >= 0.");

    message.clearParameters().putParameters("sequence_id", text("x".repeat(129)));
    assertRejected(
        StatusCode.UNSUPPORTED, "string correlation ID cannot be longer than 128 characters");
  }

  @Test
  void passesAParameterOfHttpAloneToTheModel() {
    RequestOptions options = options("binary_data_output", flag(false));

    assertThat(options.parameters())
        .containsEntry("binary_data_output", new Parameter.OfBoolean(false));
    try (DecodedRequest decoded = read()) {
      assertThat(decoded.binaryByDefault()).isTrue();
    }
  }

  @Test
  void ignoresOtherParametersOfAnInput() {
    input("A", "UINT8", 2)
        .putParameters("binary_data_size", number(1))
        .putParameters("other", InferParameter.getDefaultInstance());
    message.addRawInputContents(ByteString.copyFrom(new byte[] {1, 2}));

    try (DecodedRequest decoded = read()) {
      assertThat(decoded.inputs().getFirst().data().toArray(Elements.BYTE)).containsExactly(1, 2);
      assertThat(decoded.options()).isEqualTo(RequestOptions.NONE);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sequence_id|expected int64_param or string_param.",
        "sequence_start|expected bool_param.",
        "timeout|expected int64_param.",
        "other|expected int64_param, bool_param, or string_param."
      })
  void takesAnUnsignedNumberOnlyForAPriority(String key, String expected) {
    message.putParameters(key, unsigned(1));

    assertInvalid("invalid value type for '%s' parameter, %s".formatted(key, expected));
  }
}
