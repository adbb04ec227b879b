package io.nereid.server.grpc.limits;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How many control frames a client may still send: those that carry nothing of a request. It has
 * {@link #FREE} of them in {@link #WINDOW}, and more for what the server sends, since a client
 * answers pings and returns the windows of what it has read. For the event loop of the connection.
 */
public final class FrameAllowance {
  public static final int FREE = 1_000;

  /** The most that is kept for later. */
  public static final int MOST = 100_000;

  /** For each frame of the server: a client may return the windows of stream and connection. */
  private static final int PER_FRAME = 2;

  /** A client returns windows for no fewer bytes, or with each frame. */
  private static final int BYTES = 1 << 10;

  public static final Duration WINDOW = Duration.ofSeconds(10);

  private final LongSupplier clock;
  private int left = FREE;
  private long windowStart;

  /**
   * @param clock nanoseconds from any origin
   */
  public FrameAllowance(LongSupplier clock) {
    this.clock = clock;
    windowStart = clock.getAsLong();
  }

  /** Counts control frames of the client. */
  public void spend(int frames) {
    if (frames == 0 || isSpent()) {
      return;
    }
    long now = clock.getAsLong();
    if (now - windowStart > WINDOW.toNanos()) {
      windowStart = now;
      left = Math.max(left, FREE);
    }
    left -= frames;
  }

  /** Whether the client has sent more than it may, from then on. */
  public boolean isSpent() {
    return left < 0;
  }

  /** Counts a frame that was sent to the client, by its payload. */
  public void sent(int byteSize) {
    earn(PER_FRAME + byteSize / BYTES);
  }

  /** Permits the client as many frames more. */
  public void earn(int frames) {
    if (!isSpent()) {
      left = Math.min(MOST, left + frames);
    }
  }
}
