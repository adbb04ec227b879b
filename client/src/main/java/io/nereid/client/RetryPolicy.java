package io.nereid.client;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * When a failed call is sent again. A request that may have been executed never is, unless it says
 * that it {@linkplain InferRequest.Builder#mayRunTwice may run twice}, or only asks.
 *
 * <p>What is sent again: a connection that could not be made, and the server's UNAVAILABLE and
 * RESOURCE_EXHAUSTED (503, 429) if it {@linkplain NereidException#mayHaveRun has refused} the
 * request. The wait before is the server's {@code Retry-After}, or else between half and all of a
 * time that doubles. A call whose deadline would pass meanwhile fails at once.
 *
 * @param maxAttempts how often a call is sent at most; 1 for no repeats
 * @param firstDelay the longest wait before the second attempt
 * @param maxDelay the longest wait, if the server states none
 */
public record RetryPolicy(int maxAttempts, Duration firstDelay, Duration maxDelay) {
  /** No repeats. */
  public static final RetryPolicy NONE =
      new RetryPolicy(1, Duration.ofMillis(1), Duration.ofMillis(1));

  /** Three attempts, the second after at most 100 ms. */
  public static final RetryPolicy DEFAULT =
      new RetryPolicy(3, Duration.ofMillis(100), Duration.ofSeconds(2));

  /** Attempts until the call's deadline, as through a restart of the server. */
  public static final RetryPolicy UNTIL_DEADLINE =
      new RetryPolicy(Integer.MAX_VALUE, Duration.ofMillis(100), Duration.ofSeconds(2));

  public RetryPolicy {
    if (maxAttempts < 1) {
      throw new IllegalArgumentException("attempts are 1 or more: " + maxAttempts);
    }
    Arguments.positive("firstDelay", firstDelay);
    Arguments.positive("maxDelay", maxDelay);
  }

  /**
   * The nanoseconds to wait before the next attempt; -1 if there is none.
   *
   * @param attempts how many there were
   * @param mayRunTwice whether it does not matter that the server may have executed the request
   * @param nanosLeft until the call's deadline
   */
  long nanosBefore(NereidException failure, int attempts, boolean mayRunTwice, long nanosLeft) {
    if (attempts >= maxAttempts || (failure.mayHaveRun() && !mayRunTwice)) {
      return -1;
    }
    boolean transientFailure =
        switch (failure.code()) {
          case UNAVAILABLE -> !failure.sentence().equals(Sentences.CLOSED);
          case RESOURCE_EXHAUSTED -> true;
          default -> false;
        };
    if (!transientFailure) {
      return -1;
    }
    long nanos = failure.retryAfter().map(Arguments::nanos).orElseGet(() -> backOff(attempts));
    return nanos < nanosLeft ? nanos : -1;
  }

  private long backOff(int attempts) {
    int doublings = Math.min(attempts - 1, 30);
    double longest =
        Math.min(
            (double) Arguments.nanos(maxDelay),
            (double) Arguments.nanos(firstDelay) * (1L << doublings));
    return (long) (longest * ThreadLocalRandom.current().nextDouble(0.5, 1));
  }
}
