package io.nereid.spi;

import io.nereid.error.InferenceException;
import java.util.concurrent.CompletableFuture;

/**
 * Calls of other models on behalf of one request. A call has the request's id, client, priority,
 * limit of the time in a queue and deadline; it is cancelled with the request, is part of its
 * trace, and counts in the statistics of the called model as a request of an ensemble's step does.
 *
 * <p><b>Which models.</b> Those that the configuration of the calling model names in its parameter
 * {@code calls}, a list of names with commas between them. They are loaded before it and closed
 * after it; it is ready while they are. A call without a version gets the newest that is ready. All
 * calls of a request to a model get the same version, also if another replaces it meanwhile.
 *
 * <p><b>Memory.</b> Nothing is copied. Inputs are native memory that every thread may read: of the
 * caller, of {@link #allocate}, of its request or of another response. A call ends once its inputs
 * are not read any more, also if it is cancelled: the caller may then change or free them. Outputs
 * are valid until their {@link CallResponse} is closed.
 *
 * <p><b>The end of the request.</b> When the execution returns, or a {@link DetachedRequest} is
 * ended, calls that have not ended are cancelled and waited for, and responses and memory that are
 * open are closed. A later call throws {@link IllegalStateException}.
 *
 * <p><b>No deadlock.</b> A caller that waits keeps its thread and its instance. So a model is not
 * called for a request that it takes part in already, whichever models are between; nor by the
 * thread of an instance that holds resources of the rate limiter. The chain of calls is in the
 * message of the failure. At most {@link #MAX_DEPTH} models take part in a request, one behind the
 * other.
 *
 * <p><b>Mistakes of the caller</b> are no client's, and INTERNAL: a model that it may not call, and
 * inputs and outputs that the called model does not take. Failures of the called model itself keep
 * their code.
 *
 * <p>Any thread may call these methods, several at the same time; from threads that it makes only
 * while the request lasts. Methods that wait may be called by an instance's thread and by virtual
 * threads. What completes a future, an action on cancellation and the release of an output run on
 * threads that serve others, and must not wait; the first two get an {@link IllegalStateException}
 * from a method that would. Only the server and the kit implement this interface.
 */
public interface ModelCalls {
  /** The most models that take part in a request one behind the other, ensembles included. */
  int MAX_DEPTH = 16;

  /**
   * Calls a model and waits for its response.
   *
   * @return to be closed by the caller, or with the request
   * @throws InferenceException why the call has failed; CANCELLED with the request or if the thread
   *     is interrupted, DEADLINE_EXCEEDED behind the deadline of the request or the call's timeout
   */
  CallResponse infer(ModelCall call);

  /**
   * Calls a model and returns at once. The future is completed by a thread of the server, which
   * must not wait: use the {@code Async} methods of the future for what takes time. It fails with
   * the {@link InferenceException}. Cancelling it cancels the call, whose inputs may be read until
   * the request ends.
   *
   * @return of a response to be closed by the caller, or with the request
   */
  CompletableFuture<CallResponse> inferAsync(ModelCall call);

  /**
   * Calls a decoupled model, or any other, whose responses are taken one after the other.
   *
   * @return for the calling thread; to be closed by it, or with the request
   * @throws InferenceException if the call cannot begin
   */
  CallResponses stream(ModelCall call);

  /**
   * Lends memory for inputs of a model, of the kind that it reads fastest, such as page-locked
   * memory where it is on a GPU.
   *
   * @return uninitialised, aligned to 64 bytes; to be closed by the caller once no call reads it,
   *     or with the request
   * @throws InferenceException RESOURCE_EXHAUSTED if there is not enough memory; or as of a call if
   *     that model cannot be called
   */
  CallMemory allocate(String model, long byteSize);
}
