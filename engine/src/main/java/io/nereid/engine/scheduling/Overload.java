package io.nereid.engine.scheduling;

import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.RequestErrors;
import io.nereid.engine.scheduling.policy.PredictedWait;
import io.nereid.error.InferenceException;
import java.time.Duration;

/**
 * The failures of requests that a model cannot answer in time. Their texts are concatenated, not
 * formatted: the more load, the more of them.
 */
public final class Overload {
  private static final long NANOS_PER_MICRO = 1_000;
  private static final long MICROS_PER_MILLI = 1_000;

  private Overload() {}

  /** The failure of a request that would wait for too long. */
  public static InferenceException refused(PendingRequest request, PredictedWait wait) {
    return InferenceException.exhausted(
        prefix(request)
            + "the request would wait for about "
            + millis(wait.nanos())
            + " ms, and its limit is "
            + millis(wait.limitNanos())
            + " ms; "
            + wait.requestsAhead()
            + (wait.requestsAhead() == 1 ? " request is" : " requests are")
            + " ahead of it",
        Duration.ofNanos(wait.nanos() - wait.limitNanos()));
  }

  /** The failure of a queued request that has waited for as long as the server allows. */
  static InferenceException waitedTooLong(PendingRequest request, long now) {
    long waited = now - request.arrivalNanos();
    return InferenceException.exhausted(
        prefix(request)
            + "the request has waited for "
            + millis(waited)
            + " ms, which is the longest that the server allows",
        Duration.ofNanos(waited));
  }

  private static String prefix(PendingRequest request) {
    return RequestErrors.prefix(request.request().id())
        + "model '"
        + request.request().model().name()
        + "' is overloaded: ";
  }

  /** Milliseconds with three decimals. */
  private static String millis(long nanos) {
    long micros = nanos / NANOS_PER_MICRO;
    long fraction = MICROS_PER_MILLI + micros % MICROS_PER_MILLI;
    return micros / MICROS_PER_MILLI + "." + Long.toString(fraction).substring(1);
  }
}
