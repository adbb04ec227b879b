package io.nereid.exchange;

import io.nereid.error.InferenceException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The one place where a request's outcome is decided: answer, failure or cancellation, whichever
 * comes first. From any thread.
 */
public final class ResponsePromise {
  /** What {@link #state} holds while there is nothing to run on cancellation. */
  private enum Marker implements Runnable {
    /** Nobody has asked to hear of a cancellation. */
    OPEN,
    /** The outcome is decided. */
    DECIDED;

    @Override
    public void run() {}
  }

  private final ResponseReceiver receiver;
  private final AtomicReference<Runnable> state = new AtomicReference<>(Marker.OPEN);

  public ResponsePromise(ResponseReceiver receiver) {
    this.receiver = receiver;
  }

  /** Whether the outcome is decided, so that further work is for nobody. */
  public boolean isDecided() {
    return state.get() instanceof Marker marker && marker == Marker.DECIDED;
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
   * Has {@code hook} run when the request is called off; at once if the outcome is decided. One
   * hook, set once.
   */
  public void onCancel(Runnable hook) {
    if (!state.compareAndSet(Marker.OPEN, hook)) {
      hook.run();
    }
  }

  /** Decides; returns what was to run on cancellation, or null if it was decided before. */
  private @Nullable Runnable decide() {
    Runnable before = state.getAndSet(Marker.DECIDED);
    return before instanceof Marker marker && marker == Marker.DECIDED ? null : before;
  }
}
