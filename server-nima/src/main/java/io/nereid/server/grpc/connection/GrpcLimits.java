package io.nereid.server.grpc.connection;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.time.Duration;

/**
 * The limits of gRPC clients. All of them are above 0.
 *
 * @param maxRequestSize the bytes of a message, and of what it decompresses to
 * @param maxRequests calls in flight, of all connections; a client may have as many as are free for
 *     others
 * @param maxStreams calls in flight of a connection
 * @param maxConnections open connections; beyond them one that has had no call for a second is
 *     closed for a new one
 * @param maxConnectionsPerClient open connections of one client
 * @param maxHeaderSize the bytes of a call's header list, as HTTP/2 counts them
 * @param maxResets calls of a connection that its client resets in {@link #RESET_WINDOW}
 * @param handshakeTimeout from a connection's begin to its first frame
 * @param readTimeout for a request to come, and a second more for each {@link #MIN_RATE} bytes
 * @param writeTimeout for a client to read a response, and as much more as for a request
 * @param idleTimeout how long a connection may have no call
 * @param streamIdleTimeout how long a stream may have no request
 */
public record GrpcLimits(
    int maxRequestSize,
    int maxRequests,
    int maxStreams,
    int maxConnections,
    int maxConnectionsPerClient,
    int maxHeaderSize,
    int maxResets,
    Duration handshakeTimeout,
    Duration readTimeout,
    Duration writeTimeout,
    Duration idleTimeout,
    Duration streamIdleTimeout) {
  /** The slowest client that is waited for, in bytes per second. */
  public static final long MIN_RATE = 64 << 10;

  /** The time in which resets are counted. */
  public static final Duration RESET_WINDOW = Duration.ofSeconds(10);

  private static final Duration MAX_CHECK_INTERVAL = Duration.ofSeconds(1);

  /** What holds unless options state otherwise. */
  public static final GrpcLimits DEFAULT =
      new GrpcLimits(
          256 << 20,
          16_384,
          1_000,
          10_000,
          5_000,
          16 << 10,
          1_000,
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          Duration.ofSeconds(30),
          Duration.ofMinutes(5),
          Duration.ofHours(1));

  /** The failure of a message that is larger than {@code --grpc-max-request-size}. */
  public static InferenceException tooLarge(long maxByteSize) {
    return new InferenceException(
        StatusCode.RESOURCE_EXHAUSTED,
        "the message is larger than %d bytes (--grpc-max-request-size)".formatted(maxByteSize));
  }

  /** These limits, with as many connections at most, in all and of one client. */
  public GrpcLimits withMaxConnections(int all, int ofClient) {
    return new GrpcLimits(
        maxRequestSize,
        maxRequests,
        maxStreams,
        all,
        ofClient,
        maxHeaderSize,
        maxResets,
        handshakeTimeout,
        readTimeout,
        writeTimeout,
        idleTimeout,
        streamIdleTimeout);
  }

  /** The time for a request of which so many bytes have come. */
  long readNanos(long receivedBytes) {
    return readTimeout.toNanos() + transferNanos(receivedBytes);
  }

  /** The time for a response of which so many bytes were sent. */
  long writeNanos(long sentBytes) {
    return writeTimeout.toNanos() + transferNanos(sentBytes);
  }

  private static long transferNanos(long bytes) {
    return bytes / MIN_RATE * 1_000_000_000;
  }

  /** The interval of checks of calls: exact enough for the shortest timeout. */
  long checkNanos() {
    long transfer = Math.min(readTimeout.toNanos(), writeTimeout.toNanos());
    long shortest = Math.min(transfer, streamIdleTimeout.toNanos());
    return Math.min(MAX_CHECK_INTERVAL.toNanos(), shortest / 4);
  }
}
