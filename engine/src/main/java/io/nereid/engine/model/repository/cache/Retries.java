package io.nereid.engine.model.repository.cache;

import io.nereid.spi.repository.ObjectStoreException;
import io.nereid.spi.repository.ObjectStoreException.Reason;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.System.Logger.Level;
import java.time.Duration;

/**
 * How often a request to an object store is repeated, and when. Only a store that is unavailable is
 * asked again; the delays double.
 *
 * @param attempts the first included, at least 1
 * @param firstDelay before the second attempt
 */
public record Retries(int attempts, Duration firstDelay, Pause pause) {
  private static final System.Logger LOG = System.getLogger(Retries.class.getName());
  private static final Duration LONGEST_DELAY = Duration.ofSeconds(10);

  /** Six attempts within eight seconds. */
  public static final Retries DEFAULT = new Retries(6, Duration.ofMillis(250), Thread::sleep);

  /** A way to wait. */
  @FunctionalInterface
  public interface Pause {
    void sleep(Duration delay) throws InterruptedException;
  }

  /**
   * A request to a store.
   *
   * @param <T> the result
   */
  @FunctionalInterface
  public interface Request<T> {
    T send() throws IOException;
  }

  /**
   * Sends a request until it succeeds, fails for good, or all attempts have failed.
   *
   * @throws ObjectStoreException the last failure
   * @throws InterruptedIOException if the thread is interrupted while it waits
   */
  public <T> T call(Request<T> request) throws IOException {
    for (int failures = 0; ; ) {
      try {
        return request.send();
      } catch (IOException failed) {
        failures++;
        pauseAfter(storeFailure(failed), failures);
      }
    }
  }

  /** The failure of a store; one without a reason is a lost connection. */
  static ObjectStoreException storeFailure(IOException failure) {
    return failure instanceof ObjectStoreException known
        ? known
        : new ObjectStoreException(Reason.UNAVAILABLE, "connection lost: " + failure, failure);
  }

  /**
   * Waits before the next attempt.
   *
   * @param failures how many attempts have failed in a row
   * @throws ObjectStoreException {@code failure} if there is no next attempt
   */
  void pauseAfter(ObjectStoreException failure, int failures) throws IOException {
    if (failure.reason() != Reason.UNAVAILABLE || failures >= attempts) {
      throw failure;
    }
    Duration doubled = firstDelay.multipliedBy(1L << Math.min(failures - 1, 20));
    Duration delay = doubled.compareTo(LONGEST_DELAY) < 0 ? doubled : LONGEST_DELAY;
    LOG.log(
        Level.WARNING,
        "attempt {0} of {1} in {2} ms: {3}",
        failures + 1,
        attempts,
        Long.toString(delay.toMillis()),
        failure.getMessage());
    try {
      pause.sleep(delay);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      var stopped = new InterruptedIOException("interrupted after: " + failure.getMessage());
      stopped.initCause(interrupted);
      throw stopped;
    }
  }
}
