package io.nereid.server.grpc;

import io.nereid.error.InferenceException;
import java.util.OptionalLong;

/** The {@code model_version} of a gRPC request. */
final class GrpcVersions {
  private GrpcVersions() {}

  /** Empty for the newest; otherwise a number of 0 or more. */
  static OptionalLong parse(String version) {
    if (version.isEmpty()) {
      return OptionalLong.empty();
    }
    try {
      long number = Long.parseLong(version);
      if (number >= 0) {
        return OptionalLong.of(number);
      }
    } catch (NumberFormatException notANumber) {
      // the same answer as for a negative one
    }
    throw InferenceException.invalid(
        "invalid model version specified '%s' , version should be an integral value > 0"
            .formatted(version));
  }
}
