package io.nereid.server.grpc.connection;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Stream;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The requests of a connection that come in several frames. Shows the head of each to its call, and
 * drops what comes of a call that has ended. For the event loop of the connection.
 *
 * <p>A client that gets its response before it has sent all of its request is told to stop (RFC
 * 9113, section 8.1). What it has sent until then still comes. Netty would answer each of these
 * frames with a reset, if the stream were closed; so the stream stays open on the client's side for
 * a while, its data is dropped here, and the windows are returned.
 */
final class LargeRequests {
  /** Streams of ended calls that stay open. */
  static final int MAX_ENDED = 64;

  private final Http2Calls http2;
  private final RequestWindow window;

  /** The streams of ended calls, in that order; some may be closed by their client. */
  private final Deque<Http2Stream> ended = new ArrayDeque<>();

  /** How many of them there were at the last check. */
  private int endedBefore;

  private boolean flushing;

  LargeRequests(Http2Calls http2) {
    this.http2 = http2;
    this.window = new RequestWindow(http2);
  }

  /**
   * Whether data is of a call that has ended, or that its head has ended just now.
   *
   * @param data not the last of its request
   */
  boolean drops(int streamId, ByteBuf data) throws Http2Exception {
    CallWatch watch = http2.watch(streamId);
    if (watch == null) {
      return false;
    }
    boolean ended = watch.isUseless();
    if (watch.drops(data)) {
      if (!ended) {
        window.refused();
      }
      return true;
    }
    window.admitted(http2.connection().stream(streamId));
    return false;
  }

  /** Whether the call of a stream has ended before its request had come whole. */
  boolean hasEnded(int streamId) {
    CallWatch watch = http2.watch(streamId);
    return watch != null && watch.isClosed();
  }

  /** Tells that a call of one request has ended. */
  void ended(int streamId) {
    Http2Stream stream = http2.connection().stream(streamId);
    if (stream == null || stream.state() != Http2Stream.State.HALF_CLOSED_LOCAL) {
      return;
    }
    var _ =
        http2
            .handler()
            .encoder()
            .frameWriter()
            .writeRstStream(
                http2.context(),
                streamId,
                Http2Error.NO_ERROR.code(),
                http2.context().newPromise());
    flush();
    ended.addLast(stream);
    if (ended.size() > MAX_ENDED) {
      closeFirst();
    }
  }

  private void flush() {
    if (!flushing) {
      flushing = true;
      http2
          .context()
          .executor()
          .execute(() -> {
            flushing = false;
            var _ = http2.context().flush();
          });
    }
  }

  /** Closes the streams whose calls had ended at the last check. */
  void check() {
    window.check();
    while (endedBefore > 0) {
      closeFirst();
    }
    endedBefore = ended.size();
  }

  private void closeFirst() {
    ended.removeFirst().close();
    endedBefore = Math.max(0, endedBefore - 1);
  }
}
