package io.nereid.server.scheduling;

import io.nereid.server.request.PendingRequest;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;

/**
 * What the log is told of one model's sequences that begin anew and have not ended: a line for the
 * first, and from then on one in ten seconds at most, since a client that does so once does so
 * always. By one thread at a time.
 */
final class RestartWarnings {
  private static final System.Logger LOG = System.getLogger(RestartWarnings.class.getName());
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Clock clock;

  /** When the next line may be written. */
  private long nextNanos;

  /** Of how many sequences nobody was told since the last line. */
  private long untold;

  RestartWarnings(Clock clock) {
    this.clock = clock;
  }

  /** The sequence of a request, its first, begins anew. */
  void add(PendingRequest request) {
    long now = clock.nanos();
    if (now < nextNanos) {
      untold++;
      return;
    }
    nextNanos = now + PAUSE_NANOS;
    LOG.log(
        Level.WARNING,
        "sequence {0} of model ''{1}'' starts anew before it has ended{2}",
        request.sequenceId().toString(),
        request.request().model().name(),
        untold == 0 ? "" : "; since the last such line " + untold + " more did");
    untold = 0;
  }
}
