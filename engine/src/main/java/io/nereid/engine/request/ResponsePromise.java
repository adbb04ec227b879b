package io.nereid.engine.request;

import io.nereid.error.InferenceException;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a request: a response, a failure or a cancellation, whichever comes first. May be
 * used by any thread.
 */
public final class ResponsePromise {
  /** The values of {@link #state} with nothing to run on cancellation. */
  private enum Marker implements Runnable {
    /** There is no hook, and no outcome yet. */
    OPEN,
    /** The outcome is decided. */
    DECIDED;

    @Override
    public void run() {}
  }

  /** Two hooks, run in this order. */
  private record Hooks(Runnable first, Runnable then) implements Runnable {
    @Override
    public void run() {
      first.run();
      then.run();
    }
  }

  private static final AtomicReferenceFieldUpdater<ResponsePromise, Runnable> STATE =
      AtomicReferenceFieldUpdater.newUpdater(ResponsePromise.class, Runnable.class, "state");

  private volatile ResponseReceiver receiver;

  /** A {@link Marker}, or the hook to run on cancellation; changed through {@link #STATE}. */
  private volatile Runnable state = Marker.OPEN;

  public ResponsePromise(ResponseReceiver receiver) {
    this.receiver = receiver;
  }

  ResponseReceiver receiver() {
    return receiver;
  }

  /** Replaces the receiver; before the first response. */
  void receive(ResponseReceiver newReceiver) {
    receiver = newReceiver;
  }

  /**
   * Puts a receiver before the present one. A cancellation at the same time may still reach the
   * present one directly.
   *
   * @param before makes it; called at once, before the first response
   */
  public void interpose(UnaryOperator<ResponseReceiver> before) {
    receiver = before.apply(receiver);
  }

  /**
   * Passes on how long the execution took, in nanoseconds; called before the outcome, by the thread
   * that decides it.
   *
   * @param queueNanos from the arrival of the request to the start of the execution
   * @param inputNanos gathering inputs
   * @param inferNanos the model itself
   * @param outputNanos storing outputs
   */
  public void computed(long queueNanos, long inputNanos, long inferNanos, long outputNanos) {
    receiver.computed(queueNanos, inputNanos, inferNanos, outputNanos);
  }

  /** See {@link ResponseReceiver#isAwaitedHere}. */
  public boolean isAwaitedHere() {
    return receiver.isAwaitedHere();
  }

  /** Whether the outcome is decided, so that further work is useless. */
  public boolean isDecided() {
    return state == Marker.DECIDED;
  }

  /**
   * Passes on a response that is not the last one. Takes the response, and closes it if the outcome
   * is decided. Called by one thread at a time, never after that thread has decided the outcome; a
   * cancellation may overtake it.
   */
  public void next(InferenceResponse response) {
    if (isDecided()) {
      response.close();
    } else {
      receiver.next(response);
    }
  }

  /** Waits for room for another response; called after {@link #next}, by an instance. */
  public void awaitRoom() {
    receiver.awaitRoom();
  }

  /** Ends the request without a further response, unless the outcome is decided. */
  public void complete() {
    if (decide() != null) {
      receiver.complete();
    }
  }

  /** Passes on the last response. Takes it, and closes it if the outcome is decided. */
  public void answer(InferenceResponse response) {
    if (decide() != null) {
      receiver.answer(response);
    } else {
      response.close();
    }
  }

  /** Fails the request, unless the outcome is decided. */
  public void fail(InferenceException failure) {
    if (decide() != null) {
      receiver.fail(failure);
    }
  }

  /** Fails a request that was never queued, unless the outcome is decided. */
  public void reject(InferenceException reason) {
    if (decide() != null) {
      receiver.reject(reason);
    }
  }

  /**
   * Cancels the request, unless the outcome is decided: the receiver gets CANCELLED, then the hooks
   * run.
   */
  public void cancel() {
    Runnable hook = decide();
    if (hook != null) {
      receiver.fail(InferenceException.cancelled());
      hook.run();
    }
  }

  /**
   * Adds a hook that runs when the request is cancelled; it runs at once if the outcome is decided.
   * Hooks run in the order in which they were added.
   */
  public void onCancel(Runnable hook) {
    while (true) {
      Runnable before = state;
      if (before == Marker.DECIDED) {
        hook.run();
        return;
      }
      Runnable after = before == Marker.OPEN ? hook : new Hooks(before, hook);
      if (STATE.compareAndSet(this, before, after)) {
        return;
      }
    }
  }

  /**
   * Decides the outcome; returns the hooks for a cancellation, or null if it was decided before.
   */
  private @Nullable Runnable decide() {
    Runnable before = STATE.getAndSet(this, Marker.DECIDED);
    return before == Marker.DECIDED ? null : before;
  }
}
