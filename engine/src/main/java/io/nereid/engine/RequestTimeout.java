package io.nereid.engine;

import io.nereid.engine.admission.RequestAdmission;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.time.Duration;
import java.util.Optional;

/**
 * When a request is cancelled.
 *
 * @param timeout from when it was sent
 * @param endNanos by {@code System.nanoTime}
 */
record RequestTimeout(Optional<Duration> timeout, long endNanos) {
  static RequestTimeout after(Optional<Duration> timeout) {
    return new RequestTimeout(
        timeout, System.nanoTime() + timeout.map(Duration::toNanos).orElse(0L));
  }

  /** The time left, negative once the deadline has passed; NO_LIMIT if there is none. */
  long leftNanos() {
    return timeout.isEmpty() ? RequestAdmission.NO_LIMIT : endNanos - System.nanoTime();
  }

  /**
   * The failure of a request: a cancellation or a refusal behind this time, or a cancellation since
   * this thread was interrupted, says why.
   */
  InferenceException explain(InferenceException failure) {
    boolean isLate =
        failure.code() == StatusCode.CANCELLED || failure.code() == StatusCode.UNAVAILABLE;
    if (isLate && timeout.isPresent() && leftNanos() <= 0) {
      return new InferenceException(
          StatusCode.DEADLINE_EXCEEDED,
          "the timeout of the request has passed: %d ms".formatted(timeout.get().toMillis()));
    }
    if (failure.code() == StatusCode.CANCELLED && Thread.currentThread().isInterrupted()) {
      return new InferenceException(
          StatusCode.CANCELLED, "the thread that waited for the response was interrupted");
    }
    return failure;
  }
}
