package io.nereid.benchmarks.load.preset;

import io.nereid.client.DataType;
import io.nereid.client.InferRequest;
import io.nereid.client.RequestedOutput;
import io.nereid.client.SharedRegion;
import io.nereid.client.Tensor;
import io.nereid.client.grpc.InferMessages;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** The encoded {@code ModelInferRequest} of a preset. */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record GrpcRequest(byte[] message) implements Preset.Request {
  /** A request with raw input contents, without output names, id and version. */
  static GrpcRequest of(String model, List<RampTensor> inputs) {
    var request = InferRequest.to(model);
    for (RampTensor input : inputs) {
      var data = ByteBuffer.wrap(input.bytes()).order(ByteOrder.LITTLE_ENDIAN);
      request.input(input.name(), Tensor.wrap(type(input), data, shape(input)));
    }
    return new GrpcRequest(InferMessages.bytes(request.build()));
  }

  /**
   * A request whose inputs are in the region {@code load_in}; the output goes to {@code load_out}.
   */
  static GrpcRequest inRegions(String model, List<RampTensor> inputs, String output) {
    var request = InferRequest.to(model);
    for (RampTensor input : inputs) {
      var region = new SharedRegion("load_in", 0, input.bytes().length);
      request.input(input.name(), Tensor.ofRegion(region, type(input), shape(input)));
    }
    var region = new SharedRegion("load_out", 0, inputs.getFirst().bytes().length);
    request.output(new RequestedOutput(output, 0, region));
    return new GrpcRequest(InferMessages.bytes(request.build()));
  }

  private static DataType type(RampTensor input) {
    return DataType.valueOf(input.type().name());
  }

  private static long[] shape(RampTensor input) {
    return input.shape().stream().mapToLong(Long::longValue).toArray();
  }
}
