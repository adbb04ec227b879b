package io.nereid.server.engine;

import io.nereid.server.codec.OutputRequest;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.model.LoadedModel;
import io.nereid.server.request.InferenceResponse;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** The classification extension: responses whose outputs are replaced by their highest classes. */
public final class ClassifiedResponse {
  private ClassifiedResponse() {}

  /**
   * The response to send. Takes {@code response}, also when it fails, and returns it if the request
   * asks for no classes.
   *
   * @throws io.nereid.error.InferenceException INVALID_ARGUMENT if an output's type has no classes
   */
  public static InferenceResponse of(
      InferenceResponse response,
      List<OutputRequest> requested,
      LoadedModel model,
      BufferPool pool) {
    for (OutputRequest request : requested) {
      if (request.classCount() > 0) {
        return classify(response, requested, model, pool);
      }
    }
    return response;
  }

  private static InferenceResponse classify(
      InferenceResponse response,
      List<OutputRequest> requested,
      LoadedModel model,
      BufferPool pool) {
    List<Tensor> outputs = new ArrayList<>(response.outputs());
    List<Runnable> releases = new ArrayList<>(response.releases());
    try {
      for (OutputRequest request : requested) {
        for (int i = 0; i < outputs.size() && request.classCount() > 0; i++) {
          if (outputs.get(i).name().equals(request.name())) {
            Classification classes =
                Classification.of(
                    outputs.get(i),
                    request.classCount(),
                    model.config().batches(),
                    model.labels(request.name()).lines(),
                    pool);
            releases.add(classes::close);
            outputs.set(i, classes.tensor());
          }
        }
      }
    } catch (RuntimeException failure) {
      releases.forEach(Runnable::run);
      throw failure;
    }
    return new InferenceResponse(
        response.model(), response.id(), response.parameters(), outputs, releases);
  }
}
