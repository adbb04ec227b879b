package io.nereid.server.grpc.connection;

import io.nereid.server.grpc.limits.GrpcCallLimits;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import org.jspecify.annotations.Nullable;

/** Whether a client reads what lies before its socket. For the event loop of the connection. */
final class SocketProgress {
  /** Done once all is written that lay before the socket at {@link #since}. */
  private @Nullable ChannelFuture written;

  private long since;

  /** How long the client has to read that. */
  private long nanos;

  /** Whether what lies there is not written in the time that {@code limits} permit. */
  boolean isStuck(ChannelHandlerContext context, GrpcCallLimits limits, long now) {
    if (written != null && !written.isDone()) {
      return now - since > nanos;
    }
    ChannelOutboundBuffer unsent = context.channel().unsafe().outboundBuffer();
    long byteSize = unsent == null ? 0 : unsent.totalPendingWriteBytes();
    written = byteSize == 0 ? null : context.writeAndFlush(Unpooled.EMPTY_BUFFER);
    since = now;
    nanos = limits.writeNanos(byteSize);
    return false;
  }
}
