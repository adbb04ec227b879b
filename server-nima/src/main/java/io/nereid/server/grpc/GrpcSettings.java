package io.nereid.server.grpc;

import io.nereid.server.codec.ClientHeader;
import io.nereid.server.codec.HeaderForwarding;
import io.nereid.server.grpc.limits.GrpcLimits;
import io.nereid.server.grpc.message.ResponseCompression;

/**
 * The settings of the gRPC listener.
 *
 * @param address to listen on
 * @param port 0 for any free port
 */
public record GrpcSettings(
    String address, int port, GrpcLimits limits, GrpcKeepAlive keepAlive, Features features) {
  /**
   * What is served besides the protocol.
   *
   * @param reflection whether clients may ask for the services and their messages
   * @param reusesPort whether other servers may listen on the same port
   * @param forwarding which metadata become parameters of requests
   * @param clientHeader which metadata say whose a request is
   * @param compression of responses to inference requests
   */
  public record Features(
      boolean reflection,
      boolean reusesPort,
      HeaderForwarding forwarding,
      ClientHeader clientHeader,
      ResponseCompression compression) {
    /** What holds unless options state otherwise. */
    public static final Features DEFAULT =
        new Features(
            true, false, HeaderForwarding.NONE, ClientHeader.NONE, ResponseCompression.NONE);
  }

  /** These settings, with other limits. */
  public GrpcSettings withLimits(GrpcLimits others) {
    return new GrpcSettings(address, port, others, keepAlive, features);
  }

  /** Settings with the default limits. */
  public static GrpcSettings of(String address, int port) {
    return new GrpcSettings(
        address, port, GrpcLimits.DEFAULT, GrpcKeepAlive.DEFAULT, Features.DEFAULT);
  }
}
