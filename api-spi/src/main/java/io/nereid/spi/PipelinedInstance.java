package io.nereid.spi;

import io.nereid.error.InferenceException;

/**
 * An instance that starts a batch while it still computes the one before, such as on a GPU.
 *
 * <p>The server starts up to {@link #depth} batches and finishes them in the order of their start:
 *
 * <pre>{@code
 * start(a)  start(b)  finish() of a  start(c)  finish() of b  finish() of c
 * }</pre>
 *
 * <p>The instance's thread makes all of these calls. Between them a started batch is <em>in
 * flight</em>: its {@link Batch} and {@link Results} may be used, and its tensors and the memory
 * that its results allocated are valid, until {@link #finish} has returned or thrown for it. Each
 * batch in flight has memory of its own for {@link Batch#gathered}. What the interface {@link
 * ModelInstance} states about {@link #execute} holds for the time from start to finish.
 *
 * <p>A batch that failed, in {@link #start} or in {@link #finish}, is over: the server releases its
 * inputs and outputs, so the device must not read or write them any more when either method throws.
 * The other batches in flight are not affected, and {@link #finish} is called for each of them.
 * {@link #close} is called when no batch is in flight.
 *
 * <p>The server calls {@link #execute} instead, with no batch in flight, for warm-up and for models
 * whose batches depend on each other or on the server's rate limiter: sequence models and decoupled
 * models. {@link Results#reschedule} is therefore of no use in {@link #start} and {@link #finish}.
 */
public interface PipelinedInstance extends ModelInstance {
  /**
   * The largest number of batches in flight; at least 1, and the same for the life of the instance.
   */
  int depth();

  /**
   * Starts a batch: enqueues the copies of its inputs, the computation and the copies of its
   * outputs, and does not wait for the device. Called with fewer than {@link #depth} batches in
   * flight and, if there is one, after {@link #canStart} was true.
   *
   * @param batch borrowed until the batch is over
   * @param results receives the outputs, until the batch is over
   * @throws InferenceException to fail every request of the batch; then {@link #finish} is not
   *     called for it
   */
  void start(Batch batch, Results results);

  /**
   * Whether a batch can be started now, so that the server forms the next one. Called with at least
   * one and fewer than {@link #depth} batches in flight, often; it is cheap and never blocks. Once
   * true it stays true until the next {@link #start}.
   *
   * <p>The earlier this is true, the smaller are batches: requests that arrive later can only join
   * the next one. An instance returns true once its device has read the inputs of the batch that
   * was started last, or at once if the model is configured for {@code eager_batching}.
   */
  boolean canStart();

  /**
   * Whether {@link #finish} would not wait. Called with a batch in flight, often; it is cheap and
   * never blocks. A device that has failed counts as finished, so that {@link #finish} reports it.
   */
  boolean isFinished();

  /**
   * Finishes the batch that was started first of those in flight: waits until its outputs are in
   * host memory, and adds those to its results that were not added by {@link #start}.
   *
   * @throws InferenceException to fail every request of that batch that has not ended yet
   */
  void finish();

  /** Runs one batch, with no other in flight. */
  @Override
  default void execute(Batch batch, Results results) {
    start(batch, results);
    finish();
  }
}
