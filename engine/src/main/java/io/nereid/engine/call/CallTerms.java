package io.nereid.engine.call;

import io.nereid.engine.request.Ticket;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.ModelCall;
import java.util.function.LongSupplier;

/**
 * Until when a call may take, and what it fails with.
 *
 * @param caller the name of the calling model
 * @param called the name of the called model
 * @param clock of the deadline
 * @param deadlineNanos {@link Ticket#NEVER} for none
 * @param hasTimeout whether the call has a limit of its own
 */
record CallTerms(
    String caller, String called, LongSupplier clock, long deadlineNanos, boolean hasTimeout) {
  /**
   * The terms of a call that begins now.
   *
   * @param requestDeadline that of the caller's request
   */
  static CallTerms of(CallingModel model, ModelCall call, long requestDeadline) {
    long own =
        call.timeout()
            .map(timeout -> end(model.clock().getAsLong(), timeout.toNanos()))
            .orElse(Ticket.NEVER);
    return new CallTerms(
        model.name(),
        call.model(),
        model.clock(),
        Math.min(requestDeadline, own),
        call.timeout().isPresent());
  }

  /** When a time ends that begins now; {@link Ticket#NEVER} if it is longer than all time. */
  static long end(long now, long timeoutNanos) {
    return timeoutNanos > Ticket.NEVER - now ? Ticket.NEVER : now + timeoutNanos;
  }

  boolean hasDeadline() {
    return deadlineNanos != Ticket.NEVER;
  }

  /** The time left; negative once the deadline has passed. */
  long leftNanos() {
    return deadlineNanos - clock.getAsLong();
  }

  /** The failure of the call, which says who has called what. */
  InferenceException explain(InferenceException failure) {
    boolean isLate =
        failure.code() == StatusCode.CANCELLED || failure.code() == StatusCode.UNAVAILABLE;
    if (isLate && hasDeadline() && leftNanos() <= 0) {
      return new InferenceException(
          StatusCode.DEADLINE_EXCEEDED,
          "model '%s' called model '%s': the deadline has passed".formatted(caller, called));
    }
    return failure.code() == StatusCode.CANCELLED
        ? failure
        : new InferenceException(
            failure.code(),
            "model '%s' called model '%s': %s".formatted(caller, called, failure.getMessage()),
            failure);
  }
}
