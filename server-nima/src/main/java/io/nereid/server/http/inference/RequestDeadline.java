package io.nereid.server.http.inference;

import io.nereid.engine.admission.RequestAdmission;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.server.http.connection.HttpRequest;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * When a client gives up a request, as an Envoy proxy tells the server behind it: "the time in
 * milliseconds the router expects the request to be completed" (Envoy, HTTP header manipulation,
 * x-envoy-expected-rq-timeout-ms). It counts from when the head was read.
 *
 * @param nanos on the clock of {@link System#nanoTime}
 * @param isSet whether the client has a deadline
 */
record RequestDeadline(long nanos, boolean isSet) {
  static final String HEADER = "x-envoy-expected-rq-timeout-ms";

  static final RequestDeadline NONE = new RequestDeadline(0, false);

  /** More than any client waits. */
  private static final long MAX_MILLIS = TimeUnit.DAYS.toMillis(365);

  /**
   * The deadline of a request; of 0 ms, as Envoy means it, none.
   *
   * @param arrivedNanos when its head was read, by {@link System#nanoTime}
   * @throws InferenceException INVALID_ARGUMENT if the header is not a number
   */
  static RequestDeadline of(HttpRequest request, long arrivedNanos) {
    Optional<String> header = request.header(HEADER);
    if (header.isEmpty()) {
      return NONE;
    }
    long millis;
    try {
      millis = Long.parseLong(header.get());
    } catch (NumberFormatException notANumber) {
      millis = -1;
    }
    if (millis < 0) {
      throw InferenceException.invalid(
          "%s must be a number of milliseconds, got: %s".formatted(HEADER, header.get()));
    }
    long nanos = TimeUnit.MILLISECONDS.toNanos(Math.min(millis, MAX_MILLIS));
    return millis == 0 ? NONE : new RequestDeadline(arrivedNanos + nanos, true);
  }

  /** The time left, negative once the deadline has passed; NO_LIMIT if there is none. */
  long leftNanos() {
    return isSet ? nanos - System.nanoTime() : RequestAdmission.NO_LIMIT;
  }

  boolean hasPassed() {
    return leftNanos() <= 0;
  }

  /** The failure of a request that was not answered before its deadline. */
  static InferenceException exceeded() {
    return new InferenceException(
        StatusCode.DEADLINE_EXCEEDED,
        "the deadline of the request has passed (%s)".formatted(HEADER));
  }
}
