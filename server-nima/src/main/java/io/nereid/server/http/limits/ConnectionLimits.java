package io.nereid.server.http.limits;

import java.time.Duration;
import java.util.Optional;

/**
 * The limits of a listener's clients. All of them are above 0.
 *
 * @param maxConnections open connections; beyond them one that has waited for a request, or for the
 *     rest of a head, for a second is closed for a new one
 * @param maxConnectionsPerClient open connections of one client
 * @param headerTimeout for a new connection to send its first byte, and for a head to come whole
 * @param readTimeout for a body to come, and a second more for each {@link #MIN_RATE} bytes; also
 *     the longest time without a byte
 * @param writeTimeout for a client to read a response, in the same way
 * @param idleTimeout between two requests of a connection
 * @param maxAge after which a response ends its connection, a tenth more or less; empty for never
 */
public record ConnectionLimits(
    int maxConnections,
    int maxConnectionsPerClient,
    Duration headerTimeout,
    Duration readTimeout,
    Duration writeTimeout,
    Duration idleTimeout,
    Optional<Duration> maxAge) {
  /** The slowest client that is waited for, in bytes per second. */
  public static final long MIN_RATE = 64 << 10;

  /** What holds unless options state otherwise. */
  public static final ConnectionLimits DEFAULT =
      new ConnectionLimits(
          10_000,
          5_000,
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          Duration.ofSeconds(30),
          Duration.ofMinutes(5),
          Optional.empty());

  /**
   * How many connections above the limit may be open at a time, to be told so. Others are reset, so
   * that many cost little.
   */
  public int refusedAtOnce() {
    return Math.clamp(maxConnections / 8, 1, 32);
  }

  /** These limits, with as much time at most to read a response. */
  public ConnectionLimits withMaxWriteTimeout(Duration time) {
    return new ConnectionLimits(
        maxConnections,
        maxConnectionsPerClient,
        headerTimeout,
        readTimeout,
        writeTimeout.compareTo(time) < 0 ? writeTimeout : time,
        idleTimeout,
        maxAge);
  }

  /** These limits, with as many connections at most, in all and of one client. */
  public ConnectionLimits withMaxConnections(int all, int ofClient) {
    return new ConnectionLimits(
        all, ofClient, headerTimeout, readTimeout, writeTimeout, idleTimeout, maxAge);
  }
}
