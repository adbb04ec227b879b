package io.nereid.engine.request;

import io.nereid.engine.telemetry.ExecutionObserver;
import io.nereid.error.InferenceException;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A receiver for a thread, usually a virtual one, that waits for a single response. */
public final class AwaitedResponse implements ResponseReceiver {
  private final Thread waiter = Thread.currentThread();

  /** An {@link InferenceResponse} or an {@link InferenceException}; null until decided. */
  private volatile @Nullable Object outcome;

  private final ExecutionObserver times;

  /** A receiver of a request whose times are of no interest. */
  public AwaitedResponse() {
    this(ExecutionObserver.IGNORED);
  }

  /**
   * @param times told when the request was executed
   */
  public AwaitedResponse(ExecutionObserver times) {
    this.times = times;
  }

  @Override
  public void computed(long queueNanos, long inputNanos, long inferNanos, long outputNanos) {
    times.executed(queueNanos, inputNanos + inferNanos + outputNanos);
  }

  @Override
  public boolean isAwaitedHere() {
    return Thread.currentThread().equals(waiter);
  }

  @Override
  public void answer(InferenceResponse response) {
    decide(response);
  }

  @Override
  public void fail(InferenceException failure) {
    decide(failure);
  }

  private void decide(Object decided) {
    outcome = decided;
    if (!isAwaitedHere()) { // it would find its next park to be over
      LockSupport.unpark(waiter);
    }
  }

  /**
   * Waits for the outcome; called by the thread that made this object.
   *
   * @param promise cancelled if the thread is interrupted, or the time has passed
   * @param nanos the time; {@link Long#MAX_VALUE} for any
   * @return the response, which becomes the caller's
   * @throws InferenceException the failure; CANCELLED after an interrupt or behind the time
   */
  public InferenceResponse await(ResponsePromise promise, long nanos) {
    if (outcome == null) {
      promise.await(nanos, () -> outcome != null);
    }
    Object decided = Objects.requireNonNull(outcome);
    if (decided instanceof InferenceResponse response) {
      return response;
    }
    throw (InferenceException) decided;
  }
}
