package io.nereid.tck.support;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Polls until a value satisfies a condition. */
public final class Polling {
  /**
   * The system property with the milliseconds that a test waits at most for what another thread or
   * a server does. Tests that feed the kit something broken have it wait less.
   */
  public static final String WAIT_PROPERTY = "tck.wait.millis";

  private static final Duration MAX_WAIT = Duration.ofSeconds(20);
  private static final Duration PAUSE = Duration.ofMillis(2);

  private Polling() {}

  /** How long a test waits that waits for {@code ordinary} unless the property says otherwise. */
  public static Duration maxWait(Duration ordinary) {
    return Duration.ofMillis(Long.getLong(WAIT_PROPERTY, ordinary.toMillis()));
  }

  /** The first value that is {@code enough}; an {@link AssertionError} if there is none in time. */
  public static <T> T await(Supplier<T> question, Predicate<T> enough) {
    long maxNanos = maxWait(MAX_WAIT).toNanos();
    long start = System.nanoTime();
    T answer = question.get();
    while (!enough.test(answer)) {
      if (System.nanoTime() - start > maxNanos) {
        throw new AssertionError("condition not met: " + answer);
      }
      LockSupport.parkNanos(PAUSE.toNanos());
      answer = question.get();
    }
    return answer;
  }
}
