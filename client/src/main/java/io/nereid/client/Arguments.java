package io.nereid.client;

import java.time.Duration;
import java.util.Locale;
import java.util.Set;

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

  private Arguments() {}

  static String model(String name) {
    if (name.isEmpty() || name.indexOf('/') >= 0) {
      throw new IllegalArgumentException(
          "the name of a model is not empty and has no '/': '%s'".formatted(name));
    }
    return name;
  }

  /** A header's name in lower case, as gRPC wants it. */
  static String header(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (!lower.matches("[a-z0-9_.-]+") || lower.startsWith("grpc-")) {
      throw new IllegalArgumentException("'%s' cannot be the name of a header".formatted(name));
    }
    if (OF_TRANSPORTS.contains(lower)) {
      throw new IllegalArgumentException("the header '%s' is the transport's".formatted(name));
    }
    return lower;
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
}
