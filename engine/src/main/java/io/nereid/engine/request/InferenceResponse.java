package io.nereid.engine.request;

import io.nereid.request.ModelKey;
import io.nereid.request.Parameter;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A response and the memory of its outputs. Owned: its holder closes it once it is encoded. The
 * outputs are not to be had from it afterwards; what was read from it before, or is read at the
 * same time, is the holder's fault.
 */
public final class InferenceResponse implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(InferenceResponse.class.getName());

  private final ModelKey model;
  private final String id;
  private final Map<String, Parameter> parameters;
  private final List<Tensor> outputs;
  private final List<Runnable> releases;
  private boolean closed;

  /**
   * @param model the version that served the request
   * @param outputs those that were requested and produced, in the order of production, with the
   *     shapes that clients see
   * @param releases release the outputs' memory, each run once
   */
  public InferenceResponse(
      ModelKey model,
      String id,
      Map<String, Parameter> parameters,
      List<Tensor> outputs,
      List<Runnable> releases) {
    this.model = model;
    this.id = id;
    this.parameters = parameters;
    this.outputs = outputs;
    this.releases = releases;
  }

  /** The version that served the request. */
  public ModelKey model() {
    return model;
  }

  public String id() {
    return id;
  }

  public Map<String, Parameter> parameters() {
    return parameters;
  }

  /**
   * The outputs, in memory that is valid until {@link #close}.
   *
   * @throws IllegalStateException behind that
   */
  public List<Tensor> outputs() {
    if (closed) {
      throw new IllegalStateException(
          "the response of model '%s' is closed".formatted(model.name()));
    }
    return outputs;
  }

  /** What releases the outputs' memory, for a response that takes the place of this one. */
  public List<Runnable> releases() {
    return releases;
  }

  public Optional<Tensor> output(String name) {
    for (Tensor output : outputs()) {
      if (output.name().equals(name)) {
        return Optional.of(output);
      }
    }
    return Optional.empty();
  }

  /** Releases the memory of the outputs. Has no effect a second time. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      release(releases);
    }
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
