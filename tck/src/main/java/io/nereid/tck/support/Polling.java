package io.nereid.tck.support;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Polls until a value satisfies a condition. */
public final class Polling {
  private static final Duration MAX_WAIT = Duration.ofSeconds(20);
  private static final Duration PAUSE = Duration.ofMillis(2);

  private Polling() {}

  /** The first value that is {@code enough}; an {@link AssertionError} if there is none in time. */
  public static <T> T await(Supplier<T> question, Predicate<T> enough) {
    long start = System.nanoTime();
    T answer = question.get();
    while (!enough.test(answer)) {
      if (System.nanoTime() - start > MAX_WAIT.toNanos()) {
        throw new AssertionError("condition not met: " + answer);
      }
      LockSupport.parkNanos(PAUSE.toNanos());
      answer = question.get();
    }
    return answer;
  }
}
