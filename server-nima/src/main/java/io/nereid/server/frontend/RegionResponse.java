package io.nereid.server.frontend;

import io.nereid.engine.memory.region.RegionSlice;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.OutputRequest;
import io.nereid.error.InferenceException;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Responses of requests that have outputs written to shared memory regions: such an output has no
 * data left in the response.
 */
final class RegionResponse {
  private RegionResponse() {}

  /**
   * The response to send, once the outputs with a target are written. Takes {@code response}, also
   * when it fails, and returns it if there is no target. Targets stay open.
   *
   * @throws InferenceException INTERNAL if an output is larger than its target, otherwise as {@link
   *     RegionSlice#write}
   */
  static InferenceResponse of(InferenceResponse response, List<OutputRequest> requested) {
    for (OutputRequest request : requested) {
      if (request.target() != null) {
        return write(response, requested);
      }
    }
    return response;
  }

  private static InferenceResponse write(
      InferenceResponse response, List<OutputRequest> requested) {
    boolean written = false;
    try {
      List<Tensor> outputs = new ArrayList<>(response.outputs());
      for (int i = 0; i < outputs.size(); i++) {
        outputs.set(i, write(outputs.get(i), requested));
      }
      var stored =
          new InferenceResponse(
              response.model(), response.id(), response.parameters(), outputs, response.releases());
      written = true;
      return stored;
    } finally {
      if (!written) {
        response.close();
      }
    }
  }

  private static Tensor write(Tensor output, List<OutputRequest> requested) {
    for (OutputRequest request : requested) {
      RegionSlice target = request.target();
      if (target != null && request.name().equals(output.name())) {
        if (output.byteSize() > target.byteSize()) {
          throw tooSmall(output, target);
        }
        target.write(output.data());
        return new Tensor(output.name(), output.dataType(), output.shape(), MemorySegment.NULL);
      }
    }
    return output;
  }

  private static InferenceException tooSmall(Tensor output, RegionSlice target) {
    return InferenceException.internal(
        ("shared memory size specified with the request for output '%s' (%d bytes) should be at"
                + " least %d bytes to hold the results")
            .formatted(output.name(), target.byteSize(), output.byteSize()));
  }
}
