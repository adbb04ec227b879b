package io.nereid.engine.cache;

import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The log of a cache's failures: at most one per second, with the number of those left out.
 * Thread-safe.
 */
final class CacheFailures {
  private static final System.Logger LOG = System.getLogger(CacheFailures.class.getName());
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LongSupplier clock;
  private long lastNanos;
  private boolean logged;
  private long leftOut;

  CacheFailures(LongSupplier clock) {
    this.clock = clock;
  }

  void log(String what, @Nullable Throwable failure) {
    long others;
    synchronized (this) {
      long now = clock.getAsLong();
      if (logged && now - lastNanos < INTERVAL_NANOS) {
        leftOut++;
        return;
      }
      others = leftOut;
      logged = true;
      lastNanos = now;
      leftOut = 0;
    }
    LOG.log(
        Level.WARNING,
        "response cache: %s (%d failures since the last message are left out)"
            .formatted(what, others),
        failure);
  }
}
