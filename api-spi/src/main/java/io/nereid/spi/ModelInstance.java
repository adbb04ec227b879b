package io.nereid.spi;

import io.nereid.error.InferenceException;
import java.util.Optional;

/**
 * One loaded copy of a model on one device. One platform thread makes every call, except to {@link
 * #isHealthy}, and to {@link #execute} if the instance {@link #runsOnAnyThread}.
 */
public interface ModelInstance extends AutoCloseable {
  /**
   * Runs one batch. When it returns, the instance no longer reads the inputs, and the outputs are
   * in {@code results}. The server then ends each request that is neither finished, failed nor
   * rescheduled: it sends the outputs that {@code results} holds for that request.
   *
   * <p>A run that takes long should poll {@link Batch#isCancelled()} or register with {@link
   * Batch#onCancel}, and stop early.
   *
   * @param batch borrowed: its tensors are invalid after the call
   * @param results receives the outputs; {@link Results#fail} fails one request without affecting
   *     the others
   * @throws InferenceException to fail every request of the batch that has not ended yet; also as
   *     the cause of a {@link java.util.concurrent.CompletionException}, as futures of {@link
   *     ModelCalls} throw it
   */
  void execute(Batch batch, Results results);

  /**
   * Whether {@link #execute} may be called by any thread, also a virtual one, though by one at a
   * time. The server may then execute a short batch by the thread of its request, which saves two
   * switches of threads. Always the same.
   */
  default boolean runsOnAnyThread() {
    return false;
  }

  /**
   * Whether the time of {@link #execute} follows from the shapes of the inputs, the wanted outputs
   * and the parameters of the request: it waits for nothing, and does nothing as often as the
   * content of an input says. Always the same. If the instance {@link #runsOnAnyThread}, too, an
   * event loop of gRPC may execute a batch, for which its other connections wait, but only with
   * inputs that are no larger than those of a batch that was short, the same parameters and no
   * other outputs.
   */
  default boolean hasBoundedTime() {
    return false;
  }

  /**
   * Whether the instance can execute batches. Readiness checks call it from any thread; it must not
   * block.
   *
   * <p>The server also asks after a batch has failed. If the instance is not healthy then, such as
   * after an error that its device does not recover from, the model version is unavailable until it
   * is loaded again. The instance gets no further batch; those in flight are finished, and it is
   * closed with the model.
   */
  default boolean isHealthy() {
    return true;
  }

  /**
   * Why the instance is not healthy. The server asks after {@link #isHealthy} has returned false
   * for a batch that has failed. An instance that something else can make unhealthy than its own
   * batches, such as a device that it shares with others, should have an answer: otherwise the
   * failure of the batch is the reason, whatever that was.
   */
  default Optional<String> failureReason() {
    return Optional.empty();
  }

  /** Frees the instance. The last call, by the instance's thread; never throws. */
  @Override
  void close();
}
