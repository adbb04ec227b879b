package io.nereid.engine.request;

import io.nereid.request.ModelKey;
import io.nereid.request.Parameter;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A response and the memory of its outputs. Owned: its holder closes it once it is encoded.
 *
 * @param model the version that served the request
 * @param outputs those that were requested and produced, in the order of production, with the
 *     shapes that clients see
 * @param releases release the outputs' memory, each run once
 */
public record InferenceResponse(
    ModelKey model,
    String id,
    Map<String, Parameter> parameters,
    List<Tensor> outputs,
    List<Runnable> releases)
    implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(InferenceResponse.class.getName());

  /** The output of that name, if the response has it. */
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
    release(releases);
  }

  /** Runs each of {@code releases}. One that throws, in a backend, does not affect the others. */
  public static void release(List<Runnable> releases) {
    for (Runnable release : releases) {
      try {
        release.run();
      } catch (Throwable thrown) { // also an Error: the others must be released
        LOG.log(System.Logger.Level.ERROR, "the memory of an output was not released", thrown);
      }
    }
  }
}
