package io.nereid.server.grpc;

import io.grpc.netty.GrpcSslContexts;
import io.nereid.server.security.ServerTls;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;

/**
 * TLS of the gRPC listener as Netty takes it. As {@link GrpcSslContexts} would configure it, which
 * makes a context of files, and not of one that is there.
 */
final class GrpcTls {
  private static final ApplicationProtocolConfig HTTP2 =
      new ApplicationProtocolConfig(
          Protocol.ALPN,
          SelectorFailureBehavior.NO_ADVERTISE,
          SelectedListenerFailureBehavior.ACCEPT,
          ApplicationProtocolNames.HTTP_2);

  private GrpcTls() {}

  /** A context whose connections have the certificates that were read last. */
  static SslContext context(ServerTls tls) {
    return new JdkSslContext(
        tls.context(),
        false,
        Http2SecurityUtil.CIPHERS,
        SupportedCipherSuiteFilter.INSTANCE,
        HTTP2,
        tls.verifiesClients() ? ClientAuth.REQUIRE : ClientAuth.NONE,
        tls.context().createSSLEngine().getEnabledProtocols(),
        false);
  }
}
