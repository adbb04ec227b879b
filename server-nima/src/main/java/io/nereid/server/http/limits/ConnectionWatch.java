package io.nereid.server.http.limits;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * The deadlines of one connection. Times are measured from the first check that finds an activity,
 * so they are exact to the time between two checks. Used by the monitor.
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
  public Optional<Refusal> check(ConnectionLimits limits, long now) {
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
      case NEW -> after(limits.headerTimeout(), now, Refusal.SILENT);
      case IDLE -> after(limits.idleTimeout(), now, Refusal.IDLE);
      case HEAD -> after(limits.headerTimeout(), now, Refusal.SLOW_HEAD);
      case BODY -> slower(limits.readTimeout(), now, Refusal.SLOW_BODY);
      case RESPONSE -> Optional.empty();
      case WRITING -> slower(limits.writeTimeout(), now, Refusal.SLOW_READER);
    };
  }

  /**
   * For how long the last check had found the connection without a request; empty if it had one.
   */
  public OptionalLong idleNanos(long now) {
    if (activity.state() != state) { // also if there was no check
      return OptionalLong.empty();
    }
    Activity.Kind kind = Activity.kind(state);
    return kind == Activity.Kind.NEW || kind == Activity.Kind.IDLE
        ? OptionalLong.of(now - sinceNanos)
        : OptionalLong.empty();
  }

  private Optional<Refusal> after(Duration timeout, long now, Refusal refusal) {
    return now - sinceNanos > timeout.toNanos() ? Optional.of(refusal) : Optional.empty();
  }

  /** Compares the rate, and the time since the last byte. */
  private Optional<Refusal> slower(Duration timeout, long now, Refusal refusal) {
    long allowance = (bytes - firstBytes) / ConnectionLimits.MIN_RATE;
    boolean isSlow =
        now - sinceNanos > timeout.toNanos() + TimeUnit.SECONDS.toNanos(allowance)
            || now - bytesSinceNanos > timeout.toNanos();
    return isSlow ? Optional.of(refusal) : Optional.empty();
  }
}
