package io.nereid.server.frontend;

import io.nereid.engine.memory.LeaseSource;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.OutputRequest;
import java.util.List;

/**
 * The last steps of a response before a protocol encodes it, the same for all of them: outputs go
 * to the shared memory regions that their request names, and classes take the place of outputs.
 */
public final class FinishedResponse {
  private FinishedResponse() {}

  /**
   * About how many bytes are read and written for classes: 0 if the request asks for none. From
   * {@link io.nereid.server.codec.LongWork#LEAST} on {@link #of} takes long.
   */
  public static long byteSize(InferenceResponse response, List<OutputRequest> requested) {
    return ClassifiedResponse.byteSize(response, requested);
  }

  /**
   * The response to send. Takes {@code response}, also when it fails, and returns it if the request
   * asks for neither regions nor classes.
   *
   * @param memory allocates the classes; of a large response they are counted for its client
   * @param last whether it is the request's last response, behind which the regions are not used
   *     any more: their use ends, also when this fails
   * @throws io.nereid.error.InferenceException INVALID_ARGUMENT if an output's type has no classes,
   *     INTERNAL if an output is larger than its region, otherwise as {@link
   *     io.nereid.engine.memory.region.RegionSlice#write}
   */
  public static InferenceResponse of(
      InferenceResponse response,
      List<OutputRequest> requested,
      LoadedModel model,
      LeaseSource memory,
      boolean last) {
    InferenceResponse stored;
    try {
      stored = RegionResponse.of(response, requested);
    } finally {
      if (last) {
        OutputRequest.closeTargets(requested);
      }
    }
    return ClassifiedResponse.of(stored, requested, model, memory);
  }
}
