package io.nereid.server.grpc;

import java.time.Duration;
import java.util.Optional;

/**
 * How connections without traffic are treated, as in gRPC's guide to keepalive.
 *
 * @param time without a frame from the client after which the server sends a ping
 * @param timeout for the answer to a ping; then the connection is closed
 * @param permitWithoutCalls whether clients may send pings while they have no call
 * @param minPingInterval of clients' pings while no data is sent; a client that sends three pings
 *     too early loses its connection. Zero permits all pings
 * @param maxConnectionAge after which a connection takes no more calls; empty for no limit
 * @param maxConnectionAgeGrace for the calls of such a connection to end; empty for no limit
 */
public record GrpcKeepAlive(
    Duration time,
    Duration timeout,
    boolean permitWithoutCalls,
    Duration minPingInterval,
    Optional<Duration> maxConnectionAge,
    Optional<Duration> maxConnectionAgeGrace) {
  /** Triton's defaults. */
  public static final GrpcKeepAlive DEFAULT =
      new GrpcKeepAlive(
          Duration.ofHours(2),
          Duration.ofSeconds(20),
          false,
          Duration.ofMinutes(5),
          Optional.empty(),
          Optional.empty());
}
