package io.nereid.server.grpc.connection;

import io.netty.channel.Channel;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Closes a connection that has had no call for as long as {@link GrpcLimits#idleTimeout}, as far as
 * two looks in that time can tell. For its event loop.
 */
final class IdleCheck {
  private final Channel channel;
  private final Http2Calls http2;
  private final LongSupplier started;
  private final ConnectionEnd end;
  private final long intervalNanos;

  /** What the last look has found. */
  private long startedBefore;

  private boolean idleBefore;

  /**
   * @param started how many calls of the connection have begun so far
   */
  IdleCheck(
      Channel channel,
      Http2Calls http2,
      GrpcLimits limits,
      LongSupplier started,
      ConnectionEnd end) {
    this.channel = channel;
    this.http2 = http2;
    this.started = started;
    this.end = end;
    intervalNanos = limits.idleTimeout().toNanos() / 2;
  }

  void begin() {
    var _ = channel.eventLoop().schedule(this::check, intervalNanos, TimeUnit.NANOSECONDS);
  }

  private void check() {
    if (!channel.isActive()) {
      return;
    }
    long now = started.getAsLong();
    boolean idle = now == startedBefore && http2.connection().numActiveStreams() == 0;
    if (idle && idleBefore) {
      end.closeGracefully(http2, "idle");
      return;
    }
    idleBefore = idle;
    startedBefore = now;
    begin();
  }
}
