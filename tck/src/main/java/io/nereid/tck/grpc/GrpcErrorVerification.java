package io.nereid.tck.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.nereid.tck.RuleCases;
import io.nereid.tck.RuleTable;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that are rejected: each with its code and text, and without effect on the next. */
public abstract class GrpcErrorVerification extends GrpcVerification {
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

  @RuleTable(
      """
      GRPC-ERROR-01 | $simple model_name: 'unknown' | NOT_FOUND        | Request for unknown model: 'unknown' is not found
      GRPC-ERROR-02 | $simple model_version: '7'    | NOT_FOUND        | Request for unknown model: 'simple' version 7 is not found
      GRPC-ERROR-03 | $simple model_version: '-1'   | INVALID_ARGUMENT | invalid model version specified '-1' , version should be an integral value > 0
      GRPC-ERROR-04 | model_name: 'simple' inputs { name: 'INPUT0' datatype: 'INT32' shape: [1,16] contents {} } $INPUT1:INT32[1,16] $row $row | INVALID_ARGUMENT | contents field must not be specified when using raw_input_contents for 'INPUT0' for model 'simple'
      GRPC-ERROR-05 | model_name: 'simple' $inputs  | INVALID_ARGUMENT | unable to find data for input tensor 'INPUT0' for model 'simple' in request.
      GRPC-ERROR-06 | model_name: 'identity_fp32' inputs { name: 'INPUT0' datatype: 'FP32' shape: 1 contents { int_contents: 1 } } | INVALID_ARGUMENT | unexpected explicit tensor data for input tensor 'INPUT0' for model 'identity_fp32' of type 'INT32', expected datatype 'FP32'
      GRPC-ERROR-07 | model_name: 'identity_int32' inputs { name: 'INPUT0' datatype: 'INT32' shape: 1 contents { int_contents: 1 fp32_contents: 1 } } | INVALID_ARGUMENT | unexpected explicit tensor data for input tensor 'INPUT0' for model 'identity_int32', binary data was already supplied....
      GRPC-ERROR-07 | model_name: 'identity_fp32' inputs { name: 'INPUT0' datatype: 'FP32' shape: 1 contents { int_contents: 1 fp32_contents: 1 } } | INVALID_ARGUMENT | unexpected explicit tensor data for input tensor 'INPUT0' for model 'identity_fp32' of type 'INT32', expected datatype 'FP32'...
      GRPC-ERROR-08 | model_name: 'simple' $INPUT0:INT32[1,16] $INPUT0:INT32[1,16] $row $row                | INVALID_ARGUMENT | [request id: <id_unknown>] input 'INPUT0' already exists in request
      GRPC-ERROR-08 | $simple id: 'x7' outputs { name: 'OUTPUT0' } outputs { name: 'OUTPUT0' }              | INVALID_ARGUMENT | [request id: x7] output 'OUTPUT0' already exists in request
      GRPC-ERROR-09 | $simple outputs { name: 'OUTPUT9' }                                                   | INVALID_ARGUMENT | unexpected inference output 'OUTPUT9' for model 'simple'...
      GRPC-ERROR-09 | model_name: 'simple' $INPUT0:INT32[1,16] $INPUT9:INT32[1,16] $row $row                | INVALID_ARGUMENT | unexpected inference input 'INPUT9' for model 'simple'...
      GRPC-ERROR-10 | model_name: 'simple' $INPUT0:INT32[1,16] $row $row                                    | INVALID_ARGUMENT | [request id: <id_unknown>] expected 2 inputs but got 1 inputs for model 'simple'. Got input(s) ['INPUT0'], but missing required input(s) ['INPUT1']. Please provide all required input(s).
      GRPC-ERROR-11 | model_name: 'simple' $INPUT0:FP32[1,16] $INPUT1:INT32[1,16] $row $row                 | INVALID_ARGUMENT | [request id: <id_unknown>] inference input 'INPUT0' data-type is 'FP32', but model 'simple' expects 'INT32'
      GRPC-ERROR-12 | model_name: 'simple' $INPUT0:INT32[1,8] $INPUT1:INT32[1,16] $row $row                 | INVALID_ARGUMENT | [request id: <id_unknown>] unexpected shape for input 'INPUT0' for model 'simple'. Expected [-1,16], got [1,8]. ...
      GRPC-ERROR-13 | model_name: 'simple' $inputs $row raw_input_contents: '123456789012345678901234567890123456789012345678901234567890' | INVALID_ARGUMENT | [request id: <id_unknown>] input byte size mismatch for input 'INPUT1' for model 'simple'. Expected 64, got 60
      GRPC-ERROR-14 | model_name: 'simple' $INPUT0:INT32[9,16] $INPUT1:INT32[9,16] $row $row                | INVALID_ARGUMENT | [request id: <id_unknown>] inference request batch-size must be <= 8 for 'simple'...
      GRPC-ERROR-14 | model_name: 'simple' $INPUT0:INT32[2147483648,16] $INPUT1:INT32[2147483648,16] $row $row | INVALID_ARGUMENT | [request id: <id_unknown>] inference request batch-size must be <= 8 for 'simple'...
      # Triton checks the inputs in the order of a hash table, and names either
      GRPC-ERROR-14 | model_name: 'simple' $INPUT0:INT32[2,16] $INPUT1:INT32[3,16] $row $row                | INVALID_ARGUMENT | [request id: <id_unknown>] input 'INPUT...
      GRPC-ERROR-15 | model_name: 'simple' $INPUT0:INT32[1,-1] $INPUT1:INT32[1,16] $row $row                | INVALID_ARGUMENT | [request id: <id_unknown>] All input dimensions should be specified for input 'INPUT0' for model 'simple', got [1,-1]
      GRPC-ERROR-16 | model_name: 'identity_bytes' $INPUT0:BYTES[2] raw_input_contents: '\\1\\0\\0\\0a'         | INVALID_ARGUMENT | [request id: <id_unknown>] expected 2 string elements for inference input 'INPUT0' for model 'identity_bytes', got 1
      GRPC-ERROR-16 | model_name: 'identity_bytes' $INPUT0:BYTES[2] raw_input_contents: '\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0' | INVALID_ARGUMENT | [request id: <id_unknown>] unexpected number of string elements 3 for inference input 'INPUT0' for model 'identity_bytes', expecting 2
      GRPC-ERROR-17 | $simple parameters { key: 'triton_mine' value { int64_param: 1 } }    | INVALID_ARGUMENT | parameter keys starting with 'triton_' are reserved for Triton usage. Only the following keys starting with 'triton_' are allowed: triton_enable_empty_final_response
      GRPC-ERROR-17 | $simple parameters { key: 'sequence_start' value { int64_param: 1 } } | INVALID_ARGUMENT | invalid value type for 'sequence_start' parameter, expected bool_param.
      GRPC-ERROR-17 | $simple parameters { key: 'priority' value { string_param: '1' } }    | INVALID_ARGUMENT | invalid value type for 'priority' parameter, expected int64_param or uint64_param.
      GRPC-ERROR-17 | $simple parameters { key: 'priority' value { int64_param: -1 } }      | INVALID_ARGUMENT | invalid value for 'priority', expected value >= 0.
      GRPC-ERROR-17 | $simple parameters { key: 'timeout' value { string_param: '1' } }     | INVALID_ARGUMENT | invalid value type for 'timeout' parameter, expected int64_param.
      GRPC-ERROR-17 | $simple parameters { key: 'mine' value {} }                           | INVALID_ARGUMENT | invalid value type for 'mine' parameter, expected int64_param, bool_param, or string_param.
      GRPC-ERROR-18 | model_name: 'identity_bytes' $INPUT0:BYTES[1] raw_input_contents: '\\11\\0\\0\\0' | INVALID_ARGUMENT | ...
      GRPC-ERROR-21 | model_name: 'simple' $INPUT0:[1,-1] $row $row           | INVALID_ARGUMENT | inference input 'INPUT0' data-type is '', which is not one of the protocol's
      GRPC-ERROR-21 | model_name: 'simple' $INPUT0:INT33[1,-1] $row $row      | INVALID_ARGUMENT | inference input 'INPUT0' data-type is 'INT33', which is not one of the protocol's
      GRPC-ERROR-21 | model_name: 'simple' $INPUT0:int32[1,-1] $row $row      | INVALID_ARGUMENT | inference input 'INPUT0' data-type is 'int32', which is not one of the protocol's
      GRPC-ERROR-21 | model_name: 'simple' $INPUT0:TYPE_INT32[1,-1] $row $row | INVALID_ARGUMENT | inference input 'INPUT0' data-type is 'TYPE_INT32', which is not one of the protocol's
      """)
  void rejectsAnInference(String request, Status.Code code, String text) {
    rejected("ModelInfer", request, code, text);
  }

  @RuleCases("GRPC-ERROR-19")
  @CsvSource({
    "inference.GRPCInferenceService/ServerLive",
    "inference.GRPCInferenceService/ModelReady",
    "inference.GRPCInferenceService/ModelInfer",
    "inference.GRPCInferenceService/RepositoryIndex",
    "grpc.health.v1.Health/Check"
  })
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
    var _ = call(sendsBytes, message);
  }

  @RuleCases("GRPC-ERROR-20")
  @ValueSource(
      strings = {
        "inference.GRPCInferenceService/NoSuchMethod",
        "inference.GRPCInferenceService/modelInfer",
        "inference.NoSuchService/ModelInfer"
      })
  void rejectsAMethodThatIsNotThere(String method) {
    rejected(
        () -> call(method, new byte[0]), Status.Code.UNIMPLEMENTED, "Method not found: " + method);
  }
}
