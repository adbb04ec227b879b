package io.nereid.server.request;

import io.nereid.request.ModelKey;
import io.nereid.request.Parameter;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An answer and the memory its outputs lie in. Owned: whoever gets it closes it, once it is
 * encoded.
 *
 * @param model the version that served the request
 * @param outputs those that were asked for and produced, in the order of production, shapes as
 *     clients see them
 * @param releases give the outputs' memory back, each run once
 */
public record InferenceResponse(
    ModelKey model,
    String id,
    Map<String, Parameter> parameters,
    List<Tensor> outputs,
    List<Runnable> releases)
    implements AutoCloseable {
  /** The output of that name; empty if the response does not have it. */
  public Optional<Tensor> output(String name) {
    for (Tensor output : outputs) {
      if (output.name().equals(name)) {
        return Optional.of(output);
      }
    }
    return Optional.empty();
  }

  @Override
  public void close() {
    for (Runnable release : releases) {
      release.run();
    }
  }
}
