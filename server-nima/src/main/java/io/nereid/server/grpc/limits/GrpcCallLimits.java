package io.nereid.server.grpc.limits;

import java.time.Duration;

/**
 * The limits of calls. All of them are above 0.
 *
 * @param maxRequests calls in flight, of all connections; a client may have as many as are free for
 *     others
 * @param readTimeout for a request to come, and a second more for each {@link #MIN_RATE} bytes
 * @param maxStreams calls in flight of a connection
 * @param writeTimeout for a client to read a response, and as much more as for a request
 * @param maxResets calls of a connection that its client resets in {@link #RESET_WINDOW}
 * @param streamIdleTimeout how long a stream may have no request
 * @param maxHeaderSize the bytes of a call's header list, as HTTP/2 counts them
 */
public record GrpcCallLimits(
    int maxRequests,
    Duration readTimeout,
    int maxStreams,
    Duration writeTimeout,
    int maxResets,
    Duration streamIdleTimeout,
    int maxHeaderSize) {
  /** The slowest client that is waited for, in bytes per second. */
  public static final long MIN_RATE = 64 << 10;

  /** The time in which resets are counted. */
  public static final Duration RESET_WINDOW = Duration.ofSeconds(10);

  private static final Duration MAX_CHECK_INTERVAL = Duration.ofSeconds(1);

  /** The time for a request of which so many bytes have come. */
  public long readNanos(long receivedBytes) {
    return readTimeout.toNanos() + transferNanos(receivedBytes);
  }

  /** The time for a response of which so many bytes were sent. */
  public long writeNanos(long sentBytes) {
    return writeTimeout.toNanos() + transferNanos(sentBytes);
  }

  private static long transferNanos(long bytes) {
    return bytes / MIN_RATE * 1_000_000_000;
  }

  /** The interval of checks of calls: exact enough for the shortest timeout. */
  public long checkNanos() {
    long transfer = Math.min(readTimeout.toNanos(), writeTimeout.toNanos());
    long shortest = Math.min(transfer, streamIdleTimeout.toNanos());
    return Math.min(MAX_CHECK_INTERVAL.toNanos(), shortest / 4);
  }
}
