package io.nereid.spi;

import io.nereid.error.InferenceException;
import java.util.Optional;

/**
 * The responses of one call, as they come. The thread that has begun the call takes them. If more
 * than {@link #MAX_WAITING} wait to be taken, the call fails with RESOURCE_EXHAUSTED: the called
 * model is not held up, since its instance may be needed by the caller. Only the server and the kit
 * implement this interface.
 */
public interface CallResponses extends AutoCloseable {
  /** The most responses that may wait. */
  int MAX_WAITING = 1_024;

  /**
   * Waits for the next response.
   *
   * @return to be closed by the caller, or with the request; empty once the call has ended
   * @throws InferenceException why the call has failed, behind all responses that came before; as
   *     of {@link ModelCalls#infer}
   */
  Optional<CallResponse> next();

  /**
   * Cancels the call unless it has ended, waits until its inputs are not read any more, and drops
   * the responses that were not taken. A second call has no effect.
   */
  @Override
  void close();
}
