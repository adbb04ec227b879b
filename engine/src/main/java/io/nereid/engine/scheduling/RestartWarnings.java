package io.nereid.engine.scheduling;

import io.nereid.engine.request.PendingRequest;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;

/**
 * The log lines about sequences of one model that are restarted before they have ended: at most one
 * line in ten seconds, since a client that does so usually repeats it. One thread at a time.
 */
final class RestartWarnings {
  private static final System.Logger LOG = System.getLogger(RestartWarnings.class.getName());
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Clock clock;

  /** When the next line may be logged. */
  private long nextNanos;

  /** The number of restarts since the last line. */
  private long suppressed;

  RestartWarnings(Clock clock) {
    this.clock = clock;
  }

  /** Reports a start request of a sequence that has not ended. */
  void add(PendingRequest request) {
    long now = clock.nanos();
    if (now < nextNanos) {
      suppressed++;
      return;
    }
    nextNanos = now + PAUSE_NANOS;
    LOG.log(
        Level.WARNING,
        "sequence {0} of model ''{1}'' starts anew before it has ended{2}",
        request.sequenceId().toString(),
        request.request().model().name(),
        suppressed == 0 ? "" : "; since the last such line " + suppressed + " more did");
    suppressed = 0;
  }
}
