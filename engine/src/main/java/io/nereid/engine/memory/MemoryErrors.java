package io.nereid.engine.memory;

import io.nereid.error.InferenceException;
import java.time.Duration;

/** The failures of leases. */
final class MemoryErrors {
  /** Requests take milliseconds to seconds, and release their memory at their end. */
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private MemoryErrors() {}

  /** There is no memory now; there will be once other requests have ended. */
  static InferenceException exhausted(String message) {
    return InferenceException.exhausted(message, RETRY_AFTER);
  }
}
