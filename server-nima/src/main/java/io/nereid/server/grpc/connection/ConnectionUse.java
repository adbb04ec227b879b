package io.nereid.server.grpc.connection;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether a connection has calls, and for how long it has had none, as far as two looks can tell:
 * so calls cost no look at the clock. Its event loop tells of calls, and the thread that accepts
 * looks.
 */
final class ConnectionUse {
  /** How often a call has begun or ended, and in the last bit whether there is one. */
  private final AtomicLong state = new AtomicLong();

  private final AtomicBoolean hasPlace = new AtomicBoolean(true);
  private int calls;
  private long seen = -1;
  private long sinceNanos;

  void begin() {
    change(1);
  }

  void end() {
    change(-1);
  }

  private void change(int by) {
    calls += by;
    long changes = (state.getPlain() >>> 1) + 1;
    state.setRelease((changes << 1) | (calls > 0 ? 1 : 0));
  }

  /** Looks how long there has been no call; negative if there is one. */
  long look(long now) {
    long present = state.getAcquire();
    if (present != seen) {
      seen = present;
      sinceNanos = now;
    }
    return isIdle() ? now - sinceNanos : -1;
  }

  /** Whether there has been no call since before the last look. */
  boolean isIdle() {
    return (seen & 1) == 0 && state.getAcquire() == seen;
  }

  /** Ends its place among the open connections; returns false if that has ended before. */
  boolean leavePlace() {
    return hasPlace.getAndSet(false);
  }
}
