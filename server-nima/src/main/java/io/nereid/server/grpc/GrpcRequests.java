package io.nereid.server.grpc;

import io.grpc.Context;
import io.grpc.Deadline;
import io.nereid.error.InferenceException;
import io.nereid.server.engine.InferenceEngine;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** The model version and the deadline of gRPC requests. */
final class GrpcRequests {
  private GrpcRequests() {}

  /**
   * Parses a {@code model_version}.
   *
   * @return empty for the newest version, otherwise a number of 0 or more
   * @throws InferenceException INVALID_ARGUMENT if it is not a version
   */
  static OptionalLong version(String version) {
    if (version.isEmpty()) {
      return OptionalLong.empty();
    }
    try {
      long number = Long.parseLong(version);
      if (number >= 0) {
        return OptionalLong.of(number);
      }
    } catch (NumberFormatException notANumber) {
      // fails as a negative number does
    }
    throw InferenceException.invalid(
        "invalid model version specified '%s' , version should be an integral value > 0"
            .formatted(version));
  }

  /** The time until the deadline of the current call; called by a method of its listener. */
  static long timeLeftNanos() {
    Deadline deadline = Context.current().getDeadline();
    return deadline == null
        ? InferenceEngine.NO_LIMIT
        : deadline.timeRemaining(TimeUnit.NANOSECONDS);
  }
}
