package io.nereid.tck.support;

import java.time.Duration;

/**
 * How a backend is called.
 *
 * @param maxCall how long a call may take
 * @param opensOnce whether the backend can be opened only once in a process; it is opened by the
 *     first verification then, and not closed
 */
public record CallSettings(Duration maxCall, boolean opensOnce) {
  /** A minute for each call; a backend that can be opened again. */
  public static final CallSettings DEFAULT = new CallSettings(Duration.ofMinutes(1), false);
}
