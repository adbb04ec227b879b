package io.nereid.server.request;

import io.nereid.error.InferenceException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A receiver for a thread, usually a virtual one, that waits for a single response. */
public final class AwaitedResponse implements ResponseReceiver {
  private final Thread waiter = Thread.currentThread();

  /** An {@link InferenceResponse} or an {@link InferenceException}; null until decided. */
  private volatile @Nullable Object outcome;

  @Override
  public void answer(InferenceResponse response) {
    outcome = response;
    LockSupport.unpark(waiter);
  }

  @Override
  public void fail(InferenceException failure) {
    outcome = failure;
    LockSupport.unpark(waiter);
  }

  /**
   * Waits for the outcome; called by the thread that made this object.
   *
   * @param promise cancelled if the thread is interrupted
   * @return the response, which becomes the caller's
   * @throws InferenceException the failure, or CANCELLED after an interrupt
   */
  public InferenceResponse await(ResponsePromise promise) {
    boolean interrupted = false;
    Object decided = outcome;
    while (decided == null) {
      LockSupport.park(this);
      if (Thread.interrupted() && !interrupted) {
        interrupted = true;
        promise.cancel(); // no effect if a response has just arrived
      }
      decided = outcome;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return switch (decided) {
      case InferenceResponse response -> response;
      case InferenceException failure -> throw failure;
      default -> throw new AssertionError(decided);
    };
  }
}
