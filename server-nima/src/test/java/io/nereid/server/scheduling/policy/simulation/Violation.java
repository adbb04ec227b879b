package io.nereid.server.scheduling.policy.simulation;

import org.jspecify.annotations.Nullable;

/** A policy did what it must not. */
final class Violation extends RuntimeException {
  private static final long serialVersionUID = 1;

  Violation(String message) {
    this(message, null);
  }

  Violation(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
