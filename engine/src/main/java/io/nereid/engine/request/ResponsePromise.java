package io.nereid.engine.request;

import io.nereid.error.InferenceException;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a request: a response, a failure or a cancellation, whichever comes first. May be
 * used by any thread.
 */
public final class ResponsePromise {
  /** Is told of a cancellation. */
  @FunctionalInterface
  public interface Hook {
    /** The request was cancelled, or had its outcome already. Called by any thread; is short. */
    void cancelled();
  }

  /** The values of {@link #state} with nothing to tell of a cancellation. */
  private enum Marker implements Hook {
    /** There is no hook, and no outcome yet. */
    OPEN,
    /** The outcome is decided. */
    DECIDED;

    @Override
    public void cancelled() {}
  }

  /** Two hooks, told in this order. */
  private record Hooks(Hook first, Hook then) implements Hook {
    @Override
    public void cancelled() {
      first.cancelled();
      then.cancelled();
    }
  }

  private static final AtomicReferenceFieldUpdater<ResponsePromise, Hook> STATE =
      AtomicReferenceFieldUpdater.newUpdater(ResponsePromise.class, Hook.class, "state");

  private volatile ResponseReceiver receiver;

  /**
   * A {@link Marker}, or the hook that is told of a cancellation; changed through {@link #STATE}.
   */
  private volatile Hook state = Marker.OPEN;

  public ResponsePromise(ResponseReceiver receiver) {
    this.receiver = receiver;
  }

  public ResponseReceiver receiver() {
    return receiver;
  }

  /**
   * Replaces the receiver, before the first response. A cancellation at the same time may still
   * reach the former one directly.
   */
  public void receive(ResponseReceiver newReceiver) {
    receiver = newReceiver;
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

  /** See {@link ResponseReceiver#keepsOthersWaiting}. */
  public boolean keepsOthersWaiting() {
    return receiver.keepsOthersWaiting();
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
   * are told.
   */
  public void cancel() {
    Hook hook = decide();
    if (hook != null) {
      receiver.fail(InferenceException.cancelled());
      hook.cancelled();
    }
  }

  /**
   * Parks this thread until {@code isReady}. If the thread is interrupted, or the time has passed,
   * the request is cancelled.
   *
   * @param nanos the time; {@link Long#MAX_VALUE} for any
   */
  void await(long nanos, BooleanSupplier isReady) {
    boolean interrupted = false;
    boolean timed = nanos != Long.MAX_VALUE;
    long end = timed ? System.nanoTime() + nanos : 0;
    while (!isReady.getAsBoolean()) {
      long left = timed ? end - System.nanoTime() : Long.MAX_VALUE;
      if (left <= 0) {
        timed = false;
        cancel(); // no effect if a response has just arrived
      } else if (timed) {
        LockSupport.parkNanos(this, left);
      } else {
        LockSupport.park(this);
      }
      if (Thread.interrupted() && !interrupted) {
        interrupted = true;
        cancel(); // no effect if a response has just arrived
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Adds a hook that is told if the request is cancelled; at once if the outcome is decided. Hooks
   * are told in the order in which they were added.
   */
  public void onCancel(Hook hook) {
    while (true) {
      Hook before = state;
      if (before == Marker.DECIDED) {
        hook.cancelled();
        return;
      }
      Hook after = before == Marker.OPEN ? hook : new Hooks(before, hook);
      if (STATE.compareAndSet(this, before, after)) {
        return;
      }
    }
  }

  /**
   * Decides the outcome; returns the hooks for a cancellation, or null if it was decided before.
   */
  private @Nullable Hook decide() {
    Hook before = STATE.getAndSet(this, Marker.DECIDED);
    return before == Marker.DECIDED ? null : before;
  }
}
