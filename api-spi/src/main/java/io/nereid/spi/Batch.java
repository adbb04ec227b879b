package io.nereid.spi;

import io.nereid.request.InferenceRequest;
import io.nereid.tensor.Tensor;
import java.time.Duration;
import java.util.Optional;

/**
 * The requests of one execution. A backend reads their inputs one request at a time ({@link
 * #input}) or as one tensor with the rows of all requests ({@link #gathered}).
 *
 * <p>A batch and the tensors that it returns belong to the instance's thread and are valid until
 * {@link ModelInstance#execute} returns, or {@link PipelinedInstance#finish} for that batch. A call
 * after that, or by another thread, throws {@link IllegalStateException}; only {@link
 * #isCancelled()} may be called by any thread. The requests that {@link Results#detach} has
 * detached stay in the batch until then. Only the server implements this interface.
 */
public interface Batch {
  /** The number of requests, at least 1. */
  int size();

  /** The request at {@code index}. Outputs for all requests have their rows in this order. */
  InferenceRequest request(int index);

  /**
   * The number of rows of all requests together, at most the model's maximum batch size; {@link
   * #size} if the model does not batch.
   */
  long rows();

  /**
   * Whether {@code index} is padding: an idle slot in a batch of the direct sequence strategy. Its
   * outputs are dropped.
   */
  boolean isPadding(int index);

  /**
   * An input of one request, with {@code reshape} applied; empty if the input is optional and the
   * request does not contain it. The controls and states of a sequence model are inputs too. A
   * target of a {@code batch_input} belongs to no single request: use {@link #gathered}.
   */
  Optional<Tensor> input(int index, String name);

  /**
   * An input of the whole batch: the rows of all requests, in order, as one tensor. The first call
   * for a name copies the rows, unless the batch has a single request, into memory that is reused
   * once this batch is over.
   *
   * <ul>
   *   <li>An input with {@code allow_ragged_batch} always has one dimension: the elements of all
   *       requests.
   *   <li>A shape tensor is that of the first request; it is the same for all.
   *   <li>A target of a {@code batch_input} is computed as its {@link
   *       io.nereid.config.BatchInput.Kind} says.
   * </ul>
   *
   * @return empty if the input is optional and the requests do not contain it
   */
  Optional<Tensor> gathered(String name);

  /**
   * The current state of the request's sequence, as {@code sequence_batching.state} declares it
   * under {@code inputName}.
   *
   * @throws io.nereid.error.InferenceException INVALID_ARGUMENT if the model declares no such state
   */
  Tensor state(int index, String inputName);

  /**
   * Whether every request of this batch is cancelled, so that no client waits for a response.
   * Cheap. Any thread may call it while {@link ModelInstance#execute} runs; the result of a later
   * call is unspecified.
   */
  boolean isCancelled();

  /**
   * Whether no client waits for a response to the request at {@code index}: it was cancelled, or
   * has its response. Cheap.
   */
  boolean isCancelled(int index);

  /**
   * The time until the deadline of the request at {@code index}: that of a gRPC call, of an HTTP
   * request with {@code x-envoy-expected-rq-timeout-ms}, or of a program that embeds the server.
   * Zero once it has passed; empty if there is none, or the server does not know it. The parameter
   * {@code timeout} of a request limits its time in the queue and is no deadline.
   */
  Optional<Duration> remaining(int index);

  /**
   * Registers an action to run when {@link #isCancelled()} becomes true; if it is true already, the
   * action begins before this method returns. It runs at most once, on any thread, and never after
   * {@link ModelInstance#execute} has returned: the server waits for one that is still running. The
   * thread that runs it holds no lock of the server.
   *
   * @param action must be short and must not throw or wait, since the thread may be one that serves
   *     many connections; the only one of this batch
   */
  void onCancel(Runnable action);

  /**
   * Calls of other models on behalf of a request, until {@link ModelInstance#execute} returns, or
   * {@link PipelinedInstance#finish} for that batch. The object is the same for each call of this
   * method, and may be used by any thread meanwhile.
   */
  ModelCalls calls(int index);
}
