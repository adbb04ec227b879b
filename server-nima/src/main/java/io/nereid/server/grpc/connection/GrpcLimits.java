package io.nereid.server.grpc.connection;

import java.time.Duration;

/**
 * The limits of gRPC clients. All of them are above 0.
 *
 * @param maxRequestSize the bytes of a message, and of what it decompresses to
 * @param maxRequests calls in flight, of all connections
 * @param maxStreams calls in flight of a connection
 * @param maxConnections open connections
 * @param maxConnectionsPerClient open connections of one client
 * @param maxHeaderSize the bytes of a call's header list, as HTTP/2 counts them
 * @param maxResets calls of a connection that its client resets in {@link #RESET_WINDOW}
 * @param handshakeTimeout from a connection's begin to its first frame
 * @param readTimeout for a request to come, and a second more for each {@link #MIN_RATE} bytes
 * @param writeTimeout for a client to read a response, and as much more as for a request
 * @param idleTimeout how long a connection may have no call
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
    Duration idleTimeout) {
  /** The slowest client that is waited for, in bytes per second. */
  public static final long MIN_RATE = 64 << 10;

  /** The time in which resets are counted. */
  public static final Duration RESET_WINDOW = Duration.ofSeconds(10);

  /** What holds unless options state otherwise. */
  public static final GrpcLimits DEFAULT =
      new GrpcLimits(
          256 << 20,
          16_384,
          1_000,
          10_000,
          1_000,
          16 << 10,
          1_000,
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          Duration.ofSeconds(30),
          Duration.ofMinutes(5));
}
