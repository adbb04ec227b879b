package io.nereid.spi;

import io.nereid.error.InferenceException;
import io.nereid.request.InferenceRequest;
import io.nereid.request.Parameter;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Optional;

/**
 * A request that is answered later than {@link ModelInstance#execute} returns: {@link
 * Results#detach} makes it one.
 *
 * <pre>{@code
 * public void execute(Batch batch, Results results) {
 *   for (int i = 0; i < batch.size(); i++) {
 *     DetachedRequest request = results.detach(i);
 *     threads.execute(() -> answer(request));
 *   }
 * }
 * }</pre>
 *
 * <p>Any thread may call its methods. A call waits while another thread makes one, except for
 * {@link #isCancelled} and {@link #remaining}, which never wait.
 *
 * <p>The request ends with the first call of {@link #send} (of {@link #finish}, if the model is
 * decoupled) or {@link #fail}. Until then its inputs and what was allocated for its outputs are
 * valid, whatever becomes of the other requests of its batch; afterwards they must not be read or
 * written. So a backend must end each request, also one that is cancelled, once it no longer uses
 * that memory: a request that does not end keeps its memory, and its model is not unloaded. A call
 * after the end throws {@link IllegalStateException}, except for the two that never wait. The
 * outputs are checked as {@link Results} says; what is called for a request that was failed because
 * of a wrong output has no effect, but the backend has to end it too.
 *
 * <p>Only the server implements this interface.
 */
public interface DetachedRequest {
  /** The request. Its inputs are as the client has sent them: see {@link #input}. */
  InferenceRequest request();

  /**
   * An input, with {@code reshape} applied; empty if the input is optional and the request does not
   * contain it.
   */
  Optional<Tensor> input(String name);

  /** Whether the request asked for that output. The server drops outputs that it did not. */
  boolean wants(String output);

  /**
   * Allocates memory for an output. The backend fills it before it calls {@link #send}.
   *
   * @param shape concrete; includes the batch dimension if the model batches
   * @param byteSize size of the data; for a type of fixed size that of {@code shape}
   * @return zeros, or uninitialised memory if the {@linkplain Model#fillsOutputs model fills
   *     outputs}; aligned to 64 bytes, owned by the server, valid until {@link #send} is called or
   *     the request ends
   */
  MemorySegment allocate(String output, DataType dataType, Shape shape, long byteSize);

  /** Allocates memory for an output of a type of fixed size. */
  default MemorySegment allocate(String output, DataType dataType, Shape shape) {
    long byteSize = Math.multiplyExact(shape.elementCount(), (long) dataType.byteSize());
    return allocate(output, dataType, shape, byteSize);
  }

  /**
   * Provides an output in memory of the backend.
   *
   * @param output must stay valid and unchanged until {@code release} runs
   * @param release runs exactly once, on any thread, even if this method throws; must not throw
   */
  void give(Tensor output, Runnable release);

  /** Adds a parameter to the next response. */
  void parameter(String name, Parameter value);

  /** Whether the request is traced, so that {@link #activity} has an effect. */
  boolean isTraced();

  /** Records an activity as {@link Results#activity} does. */
  void activity(String name, long nanoTime);

  /**
   * Sends the outputs and parameters collected for the request, those before {@link Results#detach}
   * included, as one response. It is the only one, and ends the request, unless the model is
   * decoupled. The response of a decoupled model may be one of many; this method then blocks while
   * an ensemble that consumes them is at its limit.
   */
  void send();

  /**
   * Ends the request of a decoupled model without a further response. Outputs collected but not
   * sent are dropped.
   */
  void finish();

  /** Fails the request, which ends it. Outputs collected but not sent are dropped. */
  void fail(InferenceException failure);

  /**
   * Whether no client waits for a response any more: the request was cancelled, its deadline has
   * passed and the client knows, or it has ended. Cheap.
   */
  boolean isCancelled();

  /**
   * Registers an action to run when the request is cancelled; if it is already, the action begins
   * before this method returns. It runs at most once, on any thread, and does not begin after the
   * request has ended. It may call the methods of this request: {@code onCancel(() ->
   * request.fail(InferenceException.cancelled()))}, if nothing uses its memory.
   *
   * @param action must be short and must not throw or wait; the only one of this request
   */
  void onCancel(Runnable action);

  /**
   * Calls of other models on behalf of the request, as those of {@link Batch#calls}, but until the
   * request ends: the same object each time. Calls that run when the backend ends the request are
   * cancelled; its memory is released, and its response sent, once they have ended. The thread of
   * an instance that holds resources of the rate limiter may not call, since it keeps them until
   * {@link ModelInstance#execute} returns; other threads may.
   */
  ModelCalls calls();

  /** The time until the deadline of the request: see {@link Batch#remaining}. */
  Optional<Duration> remaining();
}
