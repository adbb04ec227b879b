package io.nereid.client;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Checks of what callers give. */
final class Arguments {
  /** Those that the transports set themselves. */
  private static final Set<String> OF_TRANSPORTS =
      Set.of(
          "connection",
          "content-encoding",
          "content-length",
          "content-type",
          "expect",
          "host",
          "inference-header-content-length",
          "accept-encoding",
          "te",
          "upgrade");

  private static final long MAX_SECONDS = TimeUnit.NANOSECONDS.toSeconds(Long.MAX_VALUE);

  private Arguments() {}

  static String model(@Nullable String name) {
    if (name == null || name.isEmpty() || name.indexOf('/') >= 0) {
      throw new IllegalArgumentException(
          "the name of a model is not empty and has no '/': '%s'".formatted(name));
    }
    return name;
  }

  /** Adds a header that both transports can send; its name in lower case, as gRPC wants it. */
  static void putHeader(Map<String, String> headers, String name, String value) {
    String lower = name.toLowerCase(Locale.ROOT);
    // gRPC has other values for names that end in -bin
    if (!lower.matches("[a-z0-9_.-]+") || lower.startsWith("grpc-") || lower.endsWith("-bin")) {
      throw new IllegalArgumentException("'%s' cannot be the name of a header".formatted(name));
    }
    if (OF_TRANSPORTS.contains(lower)) {
      throw new IllegalArgumentException("the header '%s' is the transport's".formatted(name));
    }
    if (!value.chars().allMatch(each -> each >= ' ' && each <= '~')) {
      throw new IllegalArgumentException(
          "the value of the header '%s' has a character that is not printable ASCII"
              .formatted(name));
    }
    headers.put(lower, value);
  }

  static long notNegative(String what, long value) {
    if (value < 0) {
      throw new IllegalArgumentException("%s is %d, and cannot be negative".formatted(what, value));
    }
    return value;
  }

  static Duration positive(String what, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new IllegalArgumentException("%s is %s, and must be positive".formatted(what, value));
    }
    return value;
  }

  /** The nanoseconds of a time, or the most that a number has: 292 years. */
  static long nanos(Duration time) {
    return time.toSeconds() < MAX_SECONDS ? time.toNanos() : Long.MAX_VALUE;
  }
}
