package io.nereid.server.grpc.connection;

import io.nereid.server.grpc.limits.GrpcCallLimits;
import io.nereid.server.grpc.limits.GrpcRefusal;
import io.nereid.server.grpc.limits.GrpcStatuses;
import io.netty.channel.Channel;
import io.netty.handler.codec.http2.Http2Stream;
import java.util.concurrent.TimeUnit;

/**
 * Ends the calls of a connection whose client is too slow, or leaves a stream idle, and closes the
 * connection of a client that does not even read its socket. Looks at them as long as there are
 * streams. For its event loop.
 */
final class ClientChecks {
  private final GrpcConnection connection;
  private final Channel channel;
  private final Http2Calls http2;
  private final LargeRequests large;
  private final GrpcCallLimits limits;
  private final SocketProgress progress = new SocketProgress();
  private boolean checking;

  ClientChecks(
      GrpcConnection connection,
      Channel channel,
      Http2Calls http2,
      LargeRequests large,
      GrpcCallLimits limits) {
    this.connection = connection;
    this.channel = channel;
    this.http2 = http2;
    this.large = large;
    this.limits = limits;
  }

  /** Tells that there is a stream. */
  void begin() {
    if (!checking) {
      checking = true;
      schedule();
    }
  }

  private void schedule() {
    var _ = channel.eventLoop().schedule(this::check, limits.checkNanos(), TimeUnit.NANOSECONDS);
  }

  private void check() {
    if (!channel.isActive() || http2.connection().numActiveStreams() == 0) {
      checking = false;
      return;
    }
    large.check();
    long now = System.nanoTime();
    if (progress.isStuck(http2.context(), limits, now)) {
      closeSlowReader();
      return;
    }
    for (Http2Stream stream : http2.streams()) {
      CallWatch watch = http2.watch(stream);
      if (watch != null && !watch.isClosed()) {
        checkCall(stream, watch, now);
      }
    }
    schedule();
  }

  private void checkCall(Http2Stream stream, CallWatch watch, long now) {
    int id = stream.id();
    if (watch.isSlowRequest(stream, limits, now)) {
      connection.endLater(id, GrpcRefusal.SLOW_REQUEST, GrpcStatuses.slowRequest(limits));
    } else if (isSlowReader(stream, watch, now)) {
      if (channel.isWritable()) {
        connection.endLater(id, GrpcRefusal.SLOW_READER, GrpcStatuses.slowReader(limits));
      } else {
        closeSlowReader();
      }
    } else if (watch.isIdle(limits, now)) {
      connection.endLater(id, GrpcRefusal.IDLE_STREAM, GrpcStatuses.idle(limits));
    }
  }

  private boolean isSlowReader(Http2Stream stream, CallWatch watch, long now) {
    boolean waiting = http2.flow().hasFlowControlled(stream);
    return watch.isSlowReader(waiting, http2.flow().windowSize(stream), limits, now);
  }

  private void closeSlowReader() {
    connection.refuse(GrpcRefusal.SLOW_READER);
    ConnectionEnd.closeNow(http2);
  }
}
