package io.nereid.server.grpc;

import io.nereid.server.codec.ClientHeader;
import io.nereid.server.codec.HeaderForwarding;
import io.nereid.server.frontend.Listener;
import io.nereid.server.grpc.limits.GrpcLimits;
import io.nereid.server.grpc.message.ResponseCompression;

/** The settings of the gRPC listener. */
public record GrpcSettings(
    Listener listener, GrpcLimits limits, GrpcKeepAlive keepAlive, Features features) {
  /**
   * What is served besides the protocol.
   *
   * @param reflection whether clients may ask for the services and their messages
   * @param forwarding which metadata become parameters of requests
   * @param clientHeader which metadata say whose a request is
   * @param compression of responses to inference requests
   */
  public record Features(
      boolean reflection,
      HeaderForwarding forwarding,
      ClientHeader clientHeader,
      ResponseCompression compression) {
    /** What holds unless options state otherwise. */
    public static final Features DEFAULT =
        new Features(true, HeaderForwarding.NONE, ClientHeader.NONE, ResponseCompression.NONE);
  }

  /** These settings, with other limits. */
  public GrpcSettings withLimits(GrpcLimits others) {
    return new GrpcSettings(listener, others, keepAlive, features);
  }

  /** Settings with the default limits. */
  public static GrpcSettings of(String address, int port) {
    var listener = new Listener("grpc", address, port, /* reusesPort= */ false);
    return new GrpcSettings(listener, GrpcLimits.DEFAULT, GrpcKeepAlive.DEFAULT, Features.DEFAULT);
  }
}
