package io.nereid.server.grpc.limits;

import java.time.Duration;

/**
 * The limits of connections. All of them are above 0.
 *
 * @param max open connections; beyond them one that has had no call for a second is closed for a
 *     new one
 * @param handshakeTimeout from a connection's begin to its first frame
 * @param maxOfClient open connections of one client
 * @param idleTimeout how long a connection may have no call
 */
public record GrpcConnectionLimits(
    int max, Duration handshakeTimeout, int maxOfClient, Duration idleTimeout) {
  /** These limits, with as many connections at most, in all and of one client. */
  GrpcConnectionLimits with(int all, int ofClient) {
    return new GrpcConnectionLimits(all, handshakeTimeout, ofClient, idleTimeout);
  }
}
