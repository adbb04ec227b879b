package io.nereid.server.grpc.connection;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import org.jspecify.annotations.Nullable;

/** Whether a client reads what lies before its socket. For the event loop of the connection. */
final class SocketProgress {
  /** What was to be written next at the last check, and how much of that was. */
  private @Nullable Object next;

  private long written;

  /** When either has changed. */
  private long since;

  /** Whether nothing was written for longer than {@code limits} permit, although bytes wait. */
  boolean isStuck(Channel channel, GrpcLimits limits, long now) {
    ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
    Object first = unsent == null ? null : unsent.current();
    long progress = first == null ? 0 : unsent.currentProgress();
    if (first == null || first != next || progress != written) {
      next = first;
      written = progress;
      since = now;
      return false;
    }
    return now - since > limits.writeNanos(0);
  }
}
