package io.nereid.server.grpc.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameTypes;

/**
 * Creates the streams that Netty resets because of their headers. Netty does not create them
 * itself, and takes the data that follows for an error of the connection, which may be that of a
 * proxy with the calls of many clients. Sees what is written. For the event loop of the connection.
 */
final class RefusedStreams extends ChannelOutboundHandlerAdapter {
  private static final int RESET_SIZE = Http2CodecUtil.FRAME_HEADER_LENGTH + Integer.BYTES;
  private static final int TYPE_AT = 3;
  private static final int STREAM_AT = 5;

  private final Http2Calls http2;

  RefusedStreams(Http2Calls http2) {
    this.http2 = http2;
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    if (message instanceof ByteBuf frame
        && frame.readableBytes() == RESET_SIZE
        && frame.getByte(frame.readerIndex() + TYPE_AT) == Http2FrameTypes.RST_STREAM) {
      createReset(frame.getInt(frame.readerIndex() + STREAM_AT));
    }
    var _ = context.write(message, promise);
  }

  private void createReset(int streamId) {
    Http2Connection connection = http2.connection();
    boolean isNew =
        connection.remote().isValidStreamId(streamId)
            && !connection.remote().mayHaveCreatedStream(streamId);
    if (isNew) {
      try {
        connection.remote().createStream(streamId, true).close();
      } catch (Http2Exception tooMany) {
        // the connection ends if data follows
      }
    }
  }
}
