package io.nereid.server.request;

import io.nereid.error.InferenceException;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * The one place where a request's outcome is decided: answer, failure or cancellation, whichever
 * comes first. From any thread.
 */
public final class ResponsePromise {
  /** What {@link #state} is while there is nothing to run on cancellation. */
  private enum Marker implements Runnable {
    /** Nobody has asked to hear of a cancellation. */
    OPEN,
    /** The outcome is decided. */
    DECIDED;

    @Override
    public void run() {}
  }

  /** One hook behind another. */
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

  /** A {@link Marker}, or what runs on cancellation; changed through {@link #STATE}. */
  private volatile Runnable state = Marker.OPEN;

  public ResponsePromise(ResponseReceiver receiver) {
    this.receiver = receiver;
  }

  ResponseReceiver receiver() {
    return receiver;
  }

  /** Has another receiver get what comes from now on; before the request is answered. */
  void receive(ResponseReceiver newReceiver) {
    receiver = newReceiver;
  }

  /**
   * Says how long the execution took, in nanoseconds; before the outcome, by who decides it.
   *
   * @param inputNanos gathering inputs
   * @param inferNanos the model itself
   * @param outputNanos putting outputs in place
   */
  public void computed(long inputNanos, long inferNanos, long outputNanos) {
    receiver.computed(inputNanos, inferNanos, outputNanos);
  }

  /** Whether the outcome is decided, so that further work is for nobody. */
  public boolean isDecided() {
    return state == Marker.DECIDED;
  }

  /**
   * Passes on a response that is not the last one, unless the outcome is decided. Takes the
   * response: it is closed here if nobody wants it. By one thread at a time, never after the
   * outcome that the same thread decides; a cancellation may overtake it.
   */
  public void next(InferenceResponse response) {
    if (isDecided()) {
      response.close();
    } else {
      receiver.next(response);
    }
  }

  /** Waits until another response is welcome; behind {@link #next}, by an instance. */
  public void awaitRoom() {
    receiver.awaitRoom();
  }

  /** Ends a request without a further response, unless the outcome is decided. */
  public void complete() {
    if (decide() != null) {
      receiver.complete();
    }
  }

  /**
   * Answers, unless the outcome is decided. Takes the response: it is closed here if nobody wants
   * it.
   */
  public void answer(InferenceResponse response) {
    if (decide() != null) {
      receiver.answer(response);
    } else {
      response.close();
    }
  }

  /** Fails, unless the outcome is decided. */
  public void fail(InferenceException failure) {
    if (decide() != null) {
      receiver.fail(failure);
    }
  }

  /**
   * Calls the request off, unless the outcome is decided: the receiver gets CANCELLED, and the work
   * is told to stop.
   */
  public void cancel() {
    Runnable hook = decide();
    if (hook != null) {
      receiver.fail(InferenceException.cancelled());
      hook.run();
    }
  }

  /**
   * Has {@code hook} run when the request is called off; at once if the outcome is decided. Several
   * hooks run in the order in which they were set.
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

  /** Decides; returns what was to run on cancellation, or null if it was decided before. */
  private @Nullable Runnable decide() {
    Runnable before = STATE.getAndSet(this, Marker.DECIDED);
    return before == Marker.DECIDED ? null : before;
  }
}
