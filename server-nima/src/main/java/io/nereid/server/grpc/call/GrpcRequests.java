package io.nereid.server.grpc.call;

import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.nereid.engine.admission.RequestAdmission;
import io.nereid.error.InferenceException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The model version, the deadline and the metadata of gRPC requests. */
public final class GrpcRequests {
  private GrpcRequests() {}

  /** What C's {@code strtol} reads: blanks, a sign and digits, whatever follows. */
  private static final Pattern NUMBER = Pattern.compile("\\s*([+-]?[0-9]+)", Pattern.DOTALL);

  /**
   * Parses a {@code model_version} as Triton does, which reads {@code 1a} as 1.
   *
   * @return empty for the newest version, otherwise a number of 0 or more
   * @throws InferenceException INVALID_ARGUMENT if it is not a version
   */
  public static OptionalLong version(String version) {
    if (version.isEmpty()) {
      return OptionalLong.empty();
    }
    long number = number(version, version);
    if (number < 0) {
      throw InferenceException.invalid(
          "invalid model version specified '%s' , version should be an integral value > 0"
              .formatted(version));
    }
    return OptionalLong.of(number);
  }

  /** The number that {@code text}, a part of the version, begins with. */
  private static long number(String text, String version) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException unusual) {
      Matcher number = NUMBER.matcher(text);
      if (number.lookingAt() && !number.group(1).equals(text)) {
        return number(number.group(1), version);
      }
      throw InferenceException.invalid(
          ("failed to get model version from specified version string '%s' (details: stol),"
                  + " version should be an integral value > 0")
              .formatted(version));
    }
  }

  /** The last value of an entry of text; empty if there is none. */
  static Optional<String> textMetadata(Metadata headers, String name) {
    return Optional.ofNullable(
        headers.get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER)));
  }

  /** The time until the deadline of the current call; called by a method of its listener. */
  public static long timeLeftNanos() {
    return timeLeftNanos(Context.current().getDeadline());
  }

  /** The time until a deadline; null for none. */
  public static long timeLeftNanos(@Nullable Deadline deadline) {
    return deadline == null
        ? RequestAdmission.NO_LIMIT
        : deadline.timeRemaining(TimeUnit.NANOSECONDS);
  }
}
