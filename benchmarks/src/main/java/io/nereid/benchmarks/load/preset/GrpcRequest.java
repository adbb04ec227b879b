package io.nereid.benchmarks.load.preset;

import com.google.protobuf.ByteString;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferRequest.InferInputTensor;
import io.nereid.protocol.inference.ModelInferRequest.InferRequestedOutputTensor;
import java.util.List;

/** The encoded {@code ModelInferRequest} of a preset. */
public final class GrpcRequest implements Preset.Request {
  private static final String REGION = "shared_memory_region";
  private static final String BYTE_SIZE = "shared_memory_byte_size";

  private final byte[] message;

  private GrpcRequest(ModelInferRequest.Builder request) {
    message = request.build().toByteArray();
  }

  /** A request with raw input contents, without output names, id and version. */
  static GrpcRequest of(String model, List<RampTensor> inputs) {
    var request = ModelInferRequest.newBuilder().setModelName(model);
    for (RampTensor input : inputs) {
      request.addInputs(head(input)).addRawInputContents(ByteString.copyFrom(input.bytes()));
    }
    return new GrpcRequest(request);
  }

  /**
   * A request whose inputs are in the region {@code load_in}; the output goes to {@code load_out}.
   */
  static GrpcRequest inRegions(String model, List<RampTensor> inputs, String output) {
    var request = ModelInferRequest.newBuilder().setModelName(model);
    for (RampTensor input : inputs) {
      request.addInputs(
          head(input)
              .putParameters(REGION, text("load_in"))
              .putParameters(BYTE_SIZE, byteSize(input)));
    }
    request.addOutputs(
        InferRequestedOutputTensor.newBuilder()
            .setName(output)
            .putParameters(REGION, text("load_out"))
            .putParameters(BYTE_SIZE, byteSize(inputs.getFirst())));
    return new GrpcRequest(request);
  }

  /** The encoded message. */
  public byte[] message() {
    return message.clone();
  }

  /** The input without its data. */
  private static InferInputTensor.Builder head(RampTensor input) {
    return InferInputTensor.newBuilder()
        .setName(input.name())
        .setDatatype(input.type().name())
        .addAllShape(input.shape());
  }

  private static InferParameter text(String value) {
    return InferParameter.newBuilder().setStringParam(value).build();
  }

  private static InferParameter byteSize(RampTensor tensor) {
    return InferParameter.newBuilder().setInt64Param(tensor.bytes().length).build();
  }
}
