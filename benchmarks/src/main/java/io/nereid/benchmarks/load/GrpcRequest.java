package io.nereid.benchmarks.load;

import com.google.protobuf.CodedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * The encoded {@code ModelInferRequest} of a preset, with the field numbers of {@code
 * grpc_service.proto}.
 */
final class GrpcRequest implements Preset.Request {
  private static final int MODEL_NAME = 1;
  private static final int INPUTS = 5;
  private static final int RAW_INPUT_CONTENTS = 7;
  private static final int INPUT_NAME = 1;
  private static final int INPUT_DATATYPE = 2;
  private static final int INPUT_SHAPE = 3;
  private static final int INPUT_PARAMETERS = 4;
  private static final int OUTPUTS = 6;
  private static final int OUTPUT_NAME = 1;
  private static final int OUTPUT_PARAMETERS = 2;
  private static final int INT64_PARAM = 2;
  private static final int STRING_PARAM = 3;

  private final byte[] message;

  private GrpcRequest(byte[] message) {
    this.message = message;
  }

  /** A request with raw input contents, without output names, id and version. */
  static GrpcRequest of(String model, List<RampTensor> inputs) {
    return new GrpcRequest(
        message(request -> {
          request.writeString(MODEL_NAME, model);
          for (var input : inputs) {
            request.writeByteArray(INPUTS, head(input));
          }
          for (var input : inputs) {
            request.writeByteArray(RAW_INPUT_CONTENTS, input.bytes());
          }
        }));
  }

  /**
   * A request whose inputs are in the region {@code load_in}; the output goes to {@code load_out}.
   */
  static GrpcRequest inRegions(String model, List<RampTensor> inputs, String output) {
    return new GrpcRequest(
        message(request -> {
          request.writeString(MODEL_NAME, model);
          for (var input : inputs) {
            request.writeByteArray(INPUTS, head(input, "load_in"));
          }
          request.writeByteArray(
              OUTPUTS,
              message(wanted -> {
                wanted.writeString(OUTPUT_NAME, output);
                writeRegion(wanted, OUTPUT_PARAMETERS, "load_out", inputs.getFirst());
              }));
        }));
  }

  /** The entries of {@code map<string, InferParameter>} that name a region. */
  private static void writeRegion(
      CodedOutputStream tensor, int field, String region, RampTensor content) throws IOException {
    tensor.writeByteArray(
        field,
        message(entry -> {
          entry.writeString(1, "shared_memory_region");
          entry.writeByteArray(2, message(value -> value.writeString(STRING_PARAM, region)));
        }));
    tensor.writeByteArray(
        field,
        message(entry -> {
          entry.writeString(1, "shared_memory_byte_size");
          entry.writeByteArray(
              2, message(value -> value.writeInt64(INT64_PARAM, content.bytes().length)));
        }));
  }

  /** The encoded message. */
  byte[] message() {
    return message.clone();
  }

  private static byte[] head(RampTensor input) {
    return head(input, "");
  }

  /**
   * The input without its data.
   *
   * @param region where the data is; empty for the message
   */
  private static byte[] head(RampTensor input, String region) {
    var shape =
        message(dimensions -> {
          for (long dimension : input.shape()) {
            dimensions.writeInt64NoTag(dimension);
          }
        });
    return message(head -> {
      head.writeString(INPUT_NAME, input.name());
      head.writeString(INPUT_DATATYPE, input.type().name());
      head.writeByteArray(INPUT_SHAPE, shape);
      if (!region.isEmpty()) {
        writeRegion(head, INPUT_PARAMETERS, region, input);
      }
    });
  }

  private interface Fields {
    void write(CodedOutputStream target) throws IOException;
  }

  private static byte[] message(Fields fields) {
    var bytes = new ByteArrayOutputStream();
    var target = CodedOutputStream.newInstance(bytes);
    try {
      fields.write(target);
      target.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }
}
