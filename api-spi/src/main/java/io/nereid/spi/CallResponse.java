package io.nereid.spi;

import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import io.nereid.request.Parameter;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A response of a model that was called by {@link ModelCalls}, and the memory of its outputs, which
 * may be read until {@link #close}, or longer by who {@link #keep}s it. Any thread may use it.
 */
public final class CallResponse implements AutoCloseable {
  private final ModelKey model;
  private final Map<String, Parameter> parameters;
  private final List<Tensor> outputs;
  private final Runnable release;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Who may still read the outputs; this object until it is closed. */
  private final AtomicInteger holders = new AtomicInteger(1);

  /**
   * @param outputs in memory that is valid until {@code release} runs
   * @param release runs once, on any thread
   */
  public CallResponse(
      ModelKey model, Map<String, Parameter> parameters, List<Tensor> outputs, Runnable release) {
    this.model = model;
    this.parameters = Map.copyOf(parameters);
    this.outputs = List.copyOf(outputs);
    this.release = release;
  }

  /** The version that has served the call. */
  public ModelKey model() {
    return model;
  }

  /** What the model says beside its outputs. */
  public Map<String, Parameter> parameters() {
    return parameters;
  }

  /**
   * The outputs that were asked for and made, borrowed.
   *
   * @throws IllegalStateException behind {@link #close}
   */
  public List<Tensor> outputs() {
    if (closed.get()) {
      throw new IllegalStateException("the response of model '%s' is closed".formatted(model));
    }
    return outputs;
  }

  /**
   * The output of that name, borrowed.
   *
   * @throws InferenceException INTERNAL if the response has none of that name
   * @throws IllegalStateException behind {@link #close}
   */
  public Tensor output(String name) {
    for (Tensor output : outputs()) {
      if (output.name().equals(name)) {
        return output;
      }
    }
    throw InferenceException.internal(
        "the response of model '%s' has no output '%s', it has %s"
            .formatted(model.name(), name, outputs.stream().map(Tensor::name).toList()));
  }

  /**
   * Keeps the memory of the outputs until the returned action has run, also behind {@link #close}
   * and the end of the request. So an output of a called model becomes one of the caller without a
   * copy: {@code results.give(i, tensor, response.keep())}.
   *
   * @return to be run once, on any thread
   * @throws IllegalStateException behind {@link #close}
   */
  public Runnable keep() {
    holders.incrementAndGet();
    if (closed.get()) {
      release();
      throw new IllegalStateException("the response of model '%s' is closed".formatted(model));
    }
    var released = new AtomicBoolean();
    return () -> {
      if (released.compareAndSet(false, true)) {
        release();
      }
    };
  }

  private void release() {
    if (holders.decrementAndGet() == 0) {
      release.run();
    }
  }

  /** Releases the memory, unless it is kept. A second call has no effect. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      release();
    }
  }
}
