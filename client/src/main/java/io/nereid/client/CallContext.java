package io.nereid.client;

import java.util.Map;

/**
 * What a transport must know of a call beside its content.
 *
 * @param deadlineNanos by {@link System#nanoTime()}
 * @param headers lower case names
 */
public record CallContext(long deadlineNanos, Map<String, String> headers) {
  /** The time until the deadline; 0 or less once it has passed. */
  public long nanosLeft() {
    return deadlineNanos - System.nanoTime();
  }
}
