package io.nereid.server.grpc;

import io.nereid.server.grpc.connection.GrpcLimits;

/**
 * The settings of the gRPC listener.
 *
 * @param address to listen on
 * @param port 0 for any free port
 */
public record GrpcSettings(String address, int port, GrpcLimits limits, GrpcKeepAlive keepAlive) {
  /** These settings, with as many connections at most. */
  public GrpcSettings withMaxConnections(int count) {
    return new GrpcSettings(address, port, limits.withMaxConnections(count), keepAlive);
  }

  /** Settings with the default limits. */
  public static GrpcSettings of(String address, int port) {
    return new GrpcSettings(address, port, GrpcLimits.DEFAULT, GrpcKeepAlive.DEFAULT);
  }
}
