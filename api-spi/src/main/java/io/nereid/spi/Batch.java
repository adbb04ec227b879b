package io.nereid.spi;

import io.nereid.request.InferenceRequest;
import io.nereid.tensor.Tensor;
import java.util.Optional;

/**
 * The requests that an instance runs together. A backend reads inputs the way it likes: request by
 * request ({@link #input(int, String)}), or all rows in one piece ({@link #gathered}). Valid until
 * {@link ModelInstance#execute} returns, on the instance's thread: a call after that, or by another
 * thread where that is not allowed, is an {@link IllegalStateException}. Implemented by the server
 * only.
 */
public interface Batch {
  /** Number of requests, at least 1. */
  int size();

  /** The request at {@code index}, in the order in which outputs are split again. */
  InferenceRequest request(int index);

  /**
   * The rows of all requests together: at most the model's maximum batch size; {@link #size} if the
   * model does not batch.
   */
  long rows();

  /**
   * Whether the row at {@code index} is padding: a slot of a direct sequence batch without a
   * request; its outputs go nowhere.
   */
  boolean isPadding(int index);

  /**
   * One request's input as the model works with it, its {@code reshape} applied; empty if the input
   * is optional and that request leaves it out. The controls and states of a sequence model are
   * inputs too, though its configuration does not list them as such. A {@code batch_input} is the
   * whole batch's, so no request has it: see {@link #gathered}.
   */
  Optional<Tensor> input(int index, String name);

  /**
   * The rows of all requests in one piece, in order. No copy for a batch of one request; otherwise
   * one copy, at the first call for that name, into memory that the instance's next batch uses
   * again.
   *
   * <ul>
   *   <li>An input with {@code allow_ragged_batch} has one dimension: the elements of all requests,
   *       also where their shapes are equal, or there is but one request.
   *   <li>A shape tensor is the first request's, since it is the same for all.
   *   <li>A target of a {@code batch_input} is computed for this batch ({@link
   *       io.nereid.config.BatchInput.Kind}).
   * </ul>
   */
  Optional<Tensor> gathered(String name);

  /**
   * The state that this request's sequence has under {@code inputName}; see {@code
   * sequence_batching.state}.
   *
   * @throws io.nereid.error.InferenceException INVALID_ARGUMENT if the model declares no such state
   */
  Tensor state(int index, String inputName);

  /**
   * Whether nobody waits for any request of this batch any more. Cheap; from any thread, but only
   * while {@link ModelInstance#execute} runs: afterwards the answer means nothing.
   */
  boolean isCancelled();

  /**
   * Has {@code action} run once if {@link #isCancelled} becomes true while the batch executes, by
   * whichever thread notices, at once if it is true already. After {@link ModelInstance#execute}
   * has returned it neither runs nor is running. At most one action a batch; it must be quick and
   * must not throw.
   */
  void onCancel(Runnable action);
}
