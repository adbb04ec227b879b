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

  /** The encoded message. */
  byte[] message() {
    return message.clone();
  }

  private static byte[] head(RampTensor input) {
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
