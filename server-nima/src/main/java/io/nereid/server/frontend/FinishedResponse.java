package io.nereid.server.frontend;

import io.nereid.engine.memory.LeaseSource;
import io.nereid.engine.memory.region.RegionSlice;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.OutputRequest;
import io.nereid.error.InferenceException;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The last steps of a response before a protocol encodes it, the same for all of them: outputs go
 * to the shared memory regions that their request names, and classes take the place of outputs.
 */
public final class FinishedResponse {
  /** About how many bytes a class takes. */
  private static final long CLASS = 16;

  private FinishedResponse() {}

  /**
   * About how many bytes are read and written for classes: 0 if the request asks for none. From
   * {@link io.nereid.server.codec.LongWork#LEAST} on {@link #of} takes long.
   */
  public static long byteSize(InferenceResponse response, List<OutputRequest> requested) {
    long byteSize = 0;
    for (OutputRequest request : requested) {
      if (request.classCount() > 0) {
        byteSize += byteSize(response, request);
      }
    }
    return byteSize;
  }

  private static long byteSize(InferenceResponse response, OutputRequest request) {
    long byteSize = 0;
    for (Tensor output : response.outputs()) {
      if (output.name().equals(request.name())) {
        long classes = Math.min(request.classCount(), output.byteSize()); // at most one per byte
        byteSize += output.byteSize() + CLASS * classes;
      }
    }
    return byteSize;
  }

  /**
   * The response to send. Takes {@code response}, also when it fails, and returns it if the request
   * asks for neither regions nor classes.
   *
   * @param memory allocates the classes; of a large response they are counted for its client
   * @param last whether it is the request's last response, behind which the regions are not used
   *     any more: their use ends, also when this fails
   * @throws InferenceException INVALID_ARGUMENT if an output's type has no classes, INTERNAL if an
   *     output is larger than its region, otherwise as {@link RegionSlice#write}
   */
  public static InferenceResponse of(
      InferenceResponse response,
      List<OutputRequest> requested,
      LoadedModel model,
      LeaseSource memory,
      boolean last) {
    boolean changes = false;
    for (OutputRequest request : requested) {
      changes |= request.target() != null || request.classCount() > 0;
    }
    if (!changes) {
      return response;
    }
    try {
      return changed(response, requested, model, memory);
    } finally {
      if (last) {
        OutputRequest.closeTargets(requested);
      }
    }
  }

  private static InferenceResponse changed(
      InferenceResponse response,
      List<OutputRequest> requested,
      LoadedModel model,
      LeaseSource memory) {
    List<Runnable> releases = List.of(response::close);
    try {
      List<Tensor> outputs = new ArrayList<>(response.outputs());
      releases = new ArrayList<>(response.releases());
      outputs.replaceAll(output -> stored(output, requested));
      for (OutputRequest request : requested) {
        for (int i = 0; i < outputs.size() && request.classCount() > 0; i++) {
          if (outputs.get(i).name().equals(request.name())) {
            Classification classes =
                Classification.of(
                    outputs.get(i),
                    request.classCount(),
                    model.config().batches(),
                    model.labels(request.name()).lines(),
                    memory);
            releases.add(classes::close);
            outputs.set(i, classes.tensor());
          }
        }
      }
      return new InferenceResponse(
          response.model(), response.id(), response.parameters(), outputs, releases);
    } catch (Throwable failure) { // also an Error: the memory is released
      InferenceResponse.release(releases);
      throw failure;
    }
  }

  /** The output; if it has a target it is written there, and has no data left. */
  private static Tensor stored(Tensor output, List<OutputRequest> requested) {
    for (OutputRequest request : requested) {
      RegionSlice target = request.target();
      if (target != null && request.name().equals(output.name())) {
        if (output.byteSize() > target.byteSize()) {
          throw InferenceException.internal(
              ("shared memory size specified with the request for output '%s' (%d bytes) should be"
                      + " at least %d bytes to hold the results")
                  .formatted(output.name(), target.byteSize(), output.byteSize()));
        }
        target.write(output.data());
        return new Tensor(output.name(), output.dataType(), output.shape(), MemorySegment.NULL);
      }
    }
    return output;
  }
}
