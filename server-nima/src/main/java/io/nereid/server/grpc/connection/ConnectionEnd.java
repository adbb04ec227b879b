package io.nereid.server.grpc.connection;

import io.nereid.server.grpc.limits.GrpcStatuses;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Stream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How a connection ends: its client is told which calls were served, and has time to close its
 * side. When the server stops, that waits for the calls of the connection. For its event loop.
 */
final class ConnectionEnd {
  /** How long a request whose bytes are under way may take to arrive once the server stops. */
  private static final Duration ARRIVAL = Duration.ofMillis(100);

  /** How long a client has to close its side of a connection. */
  private static final Duration LINGER = Duration.ofMillis(400);

  private final Channel channel;
  private @Nullable Http2Calls http2;
  private boolean stopping;

  /** Of the stop. */
  private String reason = "the server stops";

  /** Whether clients had time to learn that the server stops: what they send later is not read. */
  private boolean arrived;

  ConnectionEnd(Channel channel) {
    this.channel = channel;
  }

  /** Tells that the client has begun with HTTP/2. */
  void ready(Http2Calls open) {
    http2 = open;
    started();
  }

  /** Tells that a call has begun. */
  void started() {
    if (stopping) {
      scheduleEndOfIncomplete();
    }
  }

  /** Tells that a call has ended. */
  void ended() {
    if (stopping) {
      channel.eventLoop().execute(this::closeIfIdle);
    }
  }

  /** Closes the connection if it has no call, and otherwise once it has none. */
  void stop(String why) {
    reason = why;
    stopping = true;
    scheduleEndOfIncomplete();
  }

  /** Gives the requests that are under way a little time, also those of calls that begin late. */
  private void scheduleEndOfIncomplete() {
    var _ =
        channel.eventLoop().schedule(this::endIncomplete, ARRIVAL.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void endIncomplete() {
    Http2Calls open = http2;
    if (open == null) {
      closeUnbegun();
      return;
    }
    arrived = true;
    for (Http2Stream stream : open.streams()) {
      CallWatch watch = open.watch(stream);
      if (watch == null || watch.isEndedByStop(stream)) {
        open.end(stream.id(), GrpcStatuses.stopping());
      }
    }
    closeIfIdle();
  }

  /** Closes a connection whose client has not begun with HTTP/2, without waiting for its answer. */
  private void closeUnbegun() {
    Http2Calls serverHalf = Http2Calls.of(channel);
    if (serverHalf == null) {
      var _ = channel.close(); // in the handshake of TLS
    } else {
      closeGracefully(serverHalf, reason);
    }
  }

  private void closeIfIdle() {
    Http2Calls open = http2;
    if (open != null && arrived && open.calls().isEmpty()) {
      closeGracefully(open, reason);
    }
  }

  /** Tells the client which calls were served, and closes once that is sent, or cannot be. */
  private void closeGracefully(Http2Calls open, String why) {
    var _ =
        open.handler()
            .goAway(
                open.context(),
                open.connection().remote().lastStreamCreated(),
                Http2Error.NO_ERROR.code(),
                Unpooled.copiedBuffer(why, StandardCharsets.US_ASCII),
                open.context().newPromise());
    var _ = open.context().writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(_ -> endOutput(open));
    closeLater(open);
  }

  /** Closes the connection once its client has had time to close its side. */
  void closeLater(Http2Calls open) {
    Runnable close = () -> closeNow(open);
    var _ = channel.eventLoop().schedule(close, LINGER.toNanos(), TimeUnit.NANOSECONDS);
  }

  /**
   * Sends the end of the connection, and leaves the close to the client. If this side closed while
   * the client still sends, such as the answer to a ping, the client would see a reset, and might
   * never read its last responses.
   */
  private void endOutput(Http2Calls open) {
    if (channel instanceof DuplexChannel socket) {
      var _ = socket.shutdownOutput();
    } else {
      closeNow(open);
    }
  }

  /** Closes below grpc-java, which would send a ping and wait for its answer. */
  static void closeNow(Http2Calls open) {
    var _ = open.context().close();
  }

  /** Ends all calls, and closes the connection once that is sent. Returns how many it has ended. */
  int endCalls() {
    Http2Calls open = http2;
    if (open == null) {
      closeUnbegun();
      return 0;
    }
    List<Http2Stream> calls = open.calls();
    calls.forEach(stream -> open.end(stream.id(), GrpcStatuses.expired()));
    closeGracefully(open, reason);
    return calls.size();
  }
}
