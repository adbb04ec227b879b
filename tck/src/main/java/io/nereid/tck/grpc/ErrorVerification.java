package io.nereid.tck.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.nereid.tck.Rule;
import io.nereid.tck.wire.InferParameter;
import io.nereid.tck.wire.InferTensorContents;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that are rejected: each with its code and text, and without effect on the next. */
public abstract class ErrorVerification extends GrpcVerification {
  private static final MethodDescriptor.Marshaller<byte[]> BYTES =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] value) {
          return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
          try {
            return stream.readAllBytes();
          } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
          }
        }
      };

  private static final InferTensorContents INTS =
      InferTensorContents.newBuilder().addIntContents(1).build();

  @Test
  @Rule("GRPC-ERROR-01")
  void rejectsAnUnknownModel() {
    rejected(
        () -> infer(simple().setModelName("unknown")),
        Status.Code.NOT_FOUND,
        "Request for unknown model: 'unknown' is not found");
  }

  @Test
  @Rule("GRPC-ERROR-02")
  void rejectsAnUnknownVersion() {
    rejected(
        () -> infer(simple().setModelVersion("7")),
        Status.Code.NOT_FOUND,
        "Request for unknown model: 'simple' version 7 is not found");
  }

  @Test
  @Rule("GRPC-ERROR-03")
  void rejectsTheVersionThatStandsForNone() {
    inferRefused(
        simple().setModelVersion("-1"),
        "invalid model version specified '-1' , version should be an integral value > 0");
  }

  @Test
  @Rule("GRPC-ERROR-04")
  void rejectsContentsBesideRawContents() {
    inferRefused(
        simple(0, input -> input.setContents(InferTensorContents.getDefaultInstance())),
        "contents field must not be specified when using raw_input_contents for 'INPUT0' for model"
            + " 'simple'");
  }

  @Test
  @Rule("GRPC-ERROR-05")
  void rejectsAnInputWithoutData() {
    inferRefused(
        simple().clearRawInputContents(),
        "unable to find data for input tensor 'INPUT0' for model 'simple' in request.");
  }

  @Test
  @Rule("GRPC-ERROR-06")
  void rejectsContentsOfAnotherDataType() {
    inferRefused(
        request("identity_fp32", input("INPUT0", "FP32", 1).setContents(INTS)),
        "unexpected explicit tensor data for input tensor 'INPUT0' for model 'identity_fp32' of"
            + " type 'INT32', expected datatype 'FP32'");
  }

  @Test
  @Rule("GRPC-ERROR-07")
  void rejectsTwoKindsOfContents() {
    var two = INTS.toBuilder().addFp32Contents(1f).build();
    inferRefusedWith(
        request("identity_int32", input("INPUT0", "INT32", 1).setContents(two)),
        "unexpected explicit tensor data for input tensor 'INPUT0' for model 'identity_int32',"
            + " binary data was already supplied.");
    inferRefusedWith(
        request("identity_fp32", input("INPUT0", "FP32", 1).setContents(two)),
        "unexpected explicit tensor data for input tensor 'INPUT0' for model 'identity_fp32' of"
            + " type 'INT32', expected datatype 'FP32'");
  }

  @Test
  @Rule("GRPC-ERROR-08")
  void rejectsTheSameInputOrOutputTwice() {
    inferRefused(
        simple(1, input -> input.setName("INPUT0")),
        NO_ID + "input 'INPUT0' already exists in request");
    inferRefused(
        simple().setId("x7").addOutputs(output("OUTPUT0")).addOutputs(output("OUTPUT0")),
        "[request id: x7] output 'OUTPUT0' already exists in request");
  }

  @Test
  @Rule("GRPC-ERROR-09")
  void rejectsAnUnknownOutputOrInput() {
    inferRefused(
        simple().addOutputs(output("OUTPUT9")),
        "unexpected inference output 'OUTPUT9' for model 'simple'");
    inferRefused(
        simple(1, input -> input.setName("INPUT9")),
        "unexpected inference input 'INPUT9' for model 'simple'");
  }

  @Test
  @Rule("GRPC-ERROR-10")
  void rejectsTooFewInputsAndNamesThem() {
    inferRefused(
        simple().removeInputs(1),
        NO_ID
            + "expected 2 inputs but got 1 inputs for model 'simple'. Got input(s) ['INPUT0'], but"
            + " missing required input(s) ['INPUT1']. Please provide all required input(s).");
  }

  @Test
  @Rule("GRPC-ERROR-11")
  void rejectsAnotherDataType() {
    inferRefused(
        simple(0, input -> input.setDatatype("FP32")),
        NO_ID + "inference input 'INPUT0' data-type is 'FP32', but model 'simple' expects 'INT32'");
  }

  @Test
  @Rule("GRPC-ERROR-12")
  void rejectsAnotherShapeAndNamesBoth() {
    inferRefusedWith(
        simple(0, input -> input.setShape(1, 8)),
        NO_ID
            + "unexpected shape for input 'INPUT0' for model 'simple'. Expected [-1,16], got [1,8]. ");
  }

  @Test
  @Rule("GRPC-ERROR-13")
  void rejectsBytesThatDoNotFitTheShape() {
    inferRefused(
        simple().setRawInputContents(1, ROW.substring(4)),
        NO_ID
            + "input byte size mismatch for input 'INPUT1' for model 'simple'. Expected 64, got 60");
  }

  @ParameterizedTest
  @CsvSource({
    "9,9,inference request batch-size must be <= 8 for 'simple'",
    "2147483648,2147483648,inference request batch-size must be <= 8 for 'simple'"
  })
  @Rule("GRPC-ERROR-14")
  void rejectsABatchThatIsTooLarge(long first, long second, String beginning) {
    var wrong = simple(0, input -> input.setShape(0, first));
    wrong.getInputsBuilder(1).setShape(0, second);
    inferRefusedWith(wrong, NO_ID + beginning);
  }

  @Test
  @Rule("GRPC-ERROR-14")
  void rejectsAnUnevenBatch() {
    var wrong = simple(0, input -> input.setShape(0, 2));
    wrong.getInputsBuilder(1).setShape(0, 3);
    // Triton checks the inputs in the order of a hash table, and names either
    inferRefusedWith(wrong, NO_ID + "input 'INPUT");
  }

  @Test
  @Rule("GRPC-ERROR-15")
  void rejectsANegativeDimension() {
    inferRefused(
        simple(0, input -> input.setShape(1, -1)),
        NO_ID
            + "All input dimensions should be specified for input 'INPUT0' for model 'simple', got"
            + " [1,-1]");
  }

  @ParameterizedTest
  @CsvSource({
    "1;0;0;0;97,2,'expected 2 string elements for inference input ''INPUT0'' for model"
        + " ''identity_bytes'', got 1'",
    "0;0;0;0;0;0;0;0;0;0;0;0,2,'unexpected number of string elements 3 for inference input"
        + " ''INPUT0'' for model ''identity_bytes'', expecting 2'"
  })
  @Rule("GRPC-ERROR-16")
  void rejectsStringsThatDoNotCountAsTheShapeSays(String bytes, long count, String text) {
    var data = ByteString.newOutput();
    for (String element : bytes.split(";", -1)) {
      data.write(Integer.parseInt(element));
    }
    inferRefused(
        request("identity_bytes", input("INPUT0", "BYTES", count), data.toByteString()),
        NO_ID + text);
  }

  @Test
  @Rule("GRPC-ERROR-17")
  void rejectsParametersThatAreReservedOrOfTheWrongKind() {
    var number = parameter(1);
    inferRefused(
        simple().putParameters("triton_mine", number),
        "parameter keys starting with 'triton_' are reserved for Triton usage. Only the following"
            + " keys starting with 'triton_' are allowed: triton_enable_empty_final_response");
    inferRefused(
        simple().putParameters("sequence_start", number),
        "invalid value type for 'sequence_start' parameter, expected bool_param.");
    inferRefused(
        simple().putParameters("priority", parameter("1")),
        "invalid value type for 'priority' parameter, expected int64_param or uint64_param.");
    inferRefused(
        simple().putParameters("priority", parameter(-1)),
        "invalid value for 'priority', expected value >= 0.");
    inferRefused(
        simple().putParameters("timeout", parameter("1")),
        "invalid value type for 'timeout' parameter, expected int64_param.");
    inferRefused(
        simple().putParameters("mine", InferParameter.getDefaultInstance()),
        "invalid value type for 'mine' parameter, expected int64_param, bool_param, or"
            + " string_param.");
  }

  @ParameterizedTest
  @CsvSource({
    "inference.GRPCInferenceService/ServerLive",
    "inference.GRPCInferenceService/ModelReady",
    "inference.GRPCInferenceService/ModelInfer",
    "inference.GRPCInferenceService/RepositoryIndex",
    "grpc.health.v1.Health/Check"
  })
  @Rule("GRPC-ERROR-19")
  void rejectsBytesThatAreNoRequest(String method) {
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> call(method, new byte[] {-1, -1}))
        .satisfies(thrown ->
            assertThat(thrown.getStatus().getCode())
                .isIn(Status.Code.INVALID_ARGUMENT, Status.Code.INTERNAL));
    answersAGoodRequest();
  }

  /** Calls a method with any bytes. */
  private void call(String method, byte[] message) {
    var sendsBytes =
        MethodDescriptor.newBuilder(BYTES, BYTES)
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(method)
            .build();
    var options = CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS);
    var _ = ClientCalls.blockingUnaryCall(channel(), sendsBytes, options, message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "inference.GRPCInferenceService/NoSuchMethod",
        "inference.GRPCInferenceService/modelInfer",
        "inference.NoSuchService/ModelInfer"
      })
  @Rule("GRPC-ERROR-20")
  void rejectsAMethodThatIsNotThere(String method) {
    rejected(
        () -> call(method, new byte[0]), Status.Code.UNIMPLEMENTED, "Method not found: " + method);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "INT33", "int32", "TYPE_INT32"})
  @Rule("GRPC-ERROR-21")
  void rejectsADataTypeThatTheProtocolDoesNotHaveBeforeOtherFaultsOfTheInputs(String type) {
    inferRefused(
        simple(0, input -> input.setDatatype(type).setShape(1, -1)).removeInputs(1),
        "inference input 'INPUT0' data-type is '%s', which is not one of the protocol's"
            .formatted(type));
  }

  @Test
  @Rule("GRPC-ERROR-18")
  void rejectsRawContentsOfABytesTensorThatAreCutOff() {
    inferRefusedWith(request("identity_bytes", input("INPUT0", "BYTES", 1), ints(9)), "");
  }
}
