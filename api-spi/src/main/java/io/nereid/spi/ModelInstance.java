package io.nereid.spi;

import io.nereid.error.InferenceException;

/** One loaded copy of a model on one device. One platform thread makes every call. */
public interface ModelInstance extends AutoCloseable {
  /**
   * Runs one batch and returns when the instance is done with its inputs and its outputs are in
   * {@code results}. A request that is neither failed nor finished by then is answered with the
   * outputs that {@code results} holds for it.
   *
   * <p>It should look at {@link Batch#isCancelled} now and then if it runs for long, or register
   * with {@link Batch#onCancel}.
   *
   * @param batch borrowed: its tensors are invalid after the call
   * @param results where outputs go; {@link Results#fail} refuses one request and spares the rest
   * @throws InferenceException if no request of the batch can be answered
   */
  void execute(Batch batch, Results results);

  /**
   * Whether the instance can still work: asked for readiness, from any thread, and must not block.
   */
  default boolean isHealthy() {
    return true;
  }

  /** Frees the instance. Called once, last, by the same thread; never throws. */
  @Override
  void close();
}
