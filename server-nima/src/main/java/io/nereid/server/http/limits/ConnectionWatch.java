package io.nereid.server.http.limits;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The deadlines of one connection. Times are measured from the first check that finds an activity,
 * so they are exact to the time between two checks. Used by the monitor, but for {@link #isStill}.
 */
public final class ConnectionWatch {
  private final Activity activity;
  private long state = -1;
  private long sinceNanos;
  private long firstBytes;
  private long bytes;
  private long bytesSinceNanos;

  public ConnectionWatch(Activity activity) {
    this.activity = activity;
  }

  /**
   * Returns what the client has taken too long for.
   *
   * @param now nanoseconds from any origin
   */
  public Optional<HttpRefusal> check(ConnectionLimits limits, long now) {
    long present = activity.state();
    long moved = activity.bytes();
    if (present != state) {
      state = present;
      sinceNanos = now;
      firstBytes = moved;
    }
    if (moved != bytes || sinceNanos == now) {
      bytes = moved;
      bytesSinceNanos = now;
    }
    return switch (Activity.kind(present)) {
      case NEW -> after(limits.headerTimeout(), now, HttpRefusal.SILENT);
      case IDLE -> after(limits.idleTimeout(), now, HttpRefusal.IDLE);
      case HEAD -> after(limits.headerTimeout(), now, HttpRefusal.SLOW_HEAD);
      case BODY -> slower(limits.readTimeout(), now, HttpRefusal.SLOW_BODY);
      case RESPONSE -> Optional.empty();
      case WRITING -> slower(limits.writeTimeout(), now, HttpRefusal.SLOW_READER);
    };
  }

  /**
   * Returns how long the connection has waited for a request, or for the rest of a head, at the
   * last check; empty if it had one then, or has been used since.
   */
  public Optional<Idleness> idleness(long now) {
    if (activity.state() != state) { // also if there was no check
      return Optional.empty();
    }
    Activity.Kind kind = Activity.kind(state);
    return switch (kind) {
      case NEW, IDLE, HEAD -> Optional.of(new Idleness(kind, now - sinceNanos, state));
      case BODY, RESPONSE, WRITING -> Optional.empty();
    };
  }

  /** Whether the connection was not used since it was seen idle. Called by any thread. */
  public boolean isStill(Idleness seen) {
    return activity.state() == seen.state();
  }

  private Optional<HttpRefusal> after(Duration timeout, long now, HttpRefusal refusal) {
    return now - sinceNanos > timeout.toNanos() ? Optional.of(refusal) : Optional.empty();
  }

  /** Compares the rate, and the time since the last byte. */
  private Optional<HttpRefusal> slower(Duration timeout, long now, HttpRefusal refusal) {
    long allowance = (bytes - firstBytes) / ConnectionLimits.MIN_RATE;
    boolean isSlow =
        now - sinceNanos > timeout.toNanos() + TimeUnit.SECONDS.toNanos(allowance)
            || now - bytesSinceNanos > timeout.toNanos();
    return isSlow ? Optional.of(refusal) : Optional.empty();
  }
}
