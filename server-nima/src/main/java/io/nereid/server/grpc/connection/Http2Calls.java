package io.nereid.server.grpc.connection;

import io.grpc.Status;
import io.nereid.server.grpc.limits.GrpcStatuses;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2RemoteFlowController;
import io.netty.handler.codec.http2.Http2Stream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP/2 of a connection, and the calls on it. For its event loop.
 *
 * <p>It works beside grpc-java: a call that it ends gets its status past the flow control, since a
 * client that does not read would not get it otherwise. To grpc-java that is a stream error, which
 * cancels the call.
 *
 * @param context of {@code handler}: what is written to it goes to the socket
 * @param watches where a stream has its {@link CallWatch}
 */
record Http2Calls(
    Http2ConnectionHandler handler,
    ChannelHandlerContext context,
    Http2Connection.PropertyKey watches) {
  /** The HTTP/2 of a connection; null before the server's side has begun with it. */
  static @Nullable Http2Calls of(Channel channel) {
    ChannelHandlerContext context = channel.pipeline().context(Http2ConnectionHandler.class);
    if (context == null) {
      return null;
    }
    var handler = (Http2ConnectionHandler) context.handler();
    return new Http2Calls(handler, context, handler.connection().newKey());
  }

  Http2Connection connection() {
    return handler.connection();
  }

  /** The stream that the client has created last. */
  @Nullable Http2Stream newest() {
    return connection().stream(connection().remote().lastStreamCreated());
  }

  @Nullable CallWatch watch(Http2Stream stream) {
    return stream.getProperty(watches);
  }

  /** The call of a stream; null if there is none any more. */
  @Nullable CallWatch watch(int streamId) {
    Http2Stream stream = connection().stream(streamId);
    return stream == null ? null : watch(stream);
  }

  Http2RemoteFlowController flow() {
    return connection().remote().flowController();
  }

  List<Http2Stream> streams() {
    List<Http2Stream> streams = new ArrayList<>(connection().numActiveStreams());
    try {
      connection().forEachActiveStream(streams::add);
    } catch (Http2Exception impossible) {
      throw new AssertionError("a list takes every stream", impossible);
    }
    return streams;
  }

  /** The streams whose calls have not ended; a client may leave its side of others open. */
  List<Http2Stream> calls() {
    List<Http2Stream> streams = streams();
    streams.removeIf(stream -> {
      CallWatch watch = watch(stream);
      return watch == null || watch.isClosed();
    });
    return streams;
  }

  /** Tells that the client has read of a stream. */
  void growSendWindow(int streamId, int byteSize) {
    CallWatch watch = watch(streamId);
    if (watch != null) {
      watch.growSendWindow(byteSize);
    }
  }

  /** Tells that the client has changed the window of all streams. */
  void growSendWindows(long byteSize) throws Http2Exception {
    connection()
        .forEachActiveStream(stream -> {
          CallWatch watch = watch(stream);
          if (watch != null) {
            watch.growSendWindow(byteSize);
          }
          return true;
        });
  }

  /** Ends a call with a status, whatever waits to be sent, and cancels it. */
  void end(int streamId, Status status) {
    Http2Stream stream = connection().stream(streamId);
    if (stream == null) {
      return;
    }
    if (stream.state().localSideOpen()) {
      writeStatus(stream, status);
    }
    handler.onError( // sends the status as well
        context,
        true,
        Http2Exception.streamError(streamId, Http2Error.NO_ERROR, "ended by the server"));
    stream.close(); // frees what waits to be sent, without waiting for the reset to be sent
  }

  /** Writes a status past the flow control. */
  private void writeStatus(Http2Stream stream, Status status) {
    var _ =
        handler
            .encoder()
            .frameWriter()
            .writeHeaders(
                context,
                stream.id(),
                GrpcStatuses.headers(status, stream.isHeadersSent()),
                0,
                true,
                context.newPromise());
  }
}
