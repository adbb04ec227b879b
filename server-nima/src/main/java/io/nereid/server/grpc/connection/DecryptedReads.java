package io.nereid.server.grpc.connection;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;

/**
 * Places {@link DividedReads} behind the decryption, with the first bytes of a client: so it sees
 * the first frame begin. For the event loop of the connection.
 */
final class DecryptedReads extends ChannelInboundHandlerAdapter {
  private final GrpcConnection connection;

  DecryptedReads(GrpcConnection connection) {
    this.connection = connection;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ChannelHandlerContext decryption = context.pipeline().context(SslHandler.class);
    if (decryption != null) {
      ((SslHandler) decryption.handler()).setCumulator(TlsReads.INSTANCE);
      var divided = new DividedReads(connection, /* decrypted= */ true);
      var _ = context.pipeline().addAfter(decryption.name(), null, divided).remove(this);
    }
    var _ = context.fireChannelRead(message);
  }
}
