package io.nereid.server.grpc.connection;

import io.nereid.server.grpc.limits.FrameAllowance;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameTypes;

/**
 * Sees the frames that are sent: responses and pings permit the client some frames of its own. For
 * the event loop of the connection.
 *
 * <p>Creates the streams that Netty resets because of their headers. Netty does not create them
 * itself, and takes the data that follows for an error of the connection, which may be that of a
 * proxy with the calls of many clients.
 *
 * <p>Netty writes the header of a frame with a payload of any length as a buffer of its own.
 */
final class SentFrames extends ChannelOutboundHandlerAdapter {
  private static final int HEADER_SIZE = Http2CodecUtil.FRAME_HEADER_LENGTH;
  private static final int RESET_SIZE = HEADER_SIZE + Integer.BYTES;
  private static final int PING_SIZE = HEADER_SIZE + Http2CodecUtil.PING_FRAME_PAYLOAD_LENGTH;
  private static final int TYPE_AT = 3;
  private static final int FLAGS_AT = 4;
  private static final int STREAM_AT = 5;

  private final Http2Calls http2;
  private final FrameAllowance allowance;

  SentFrames(Http2Calls http2, FrameAllowance allowance) {
    this.http2 = http2;
    this.allowance = allowance;
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    if (message instanceof ByteBuf frame) {
      count(frame, frame.readerIndex());
    }
    var _ = context.write(message, promise);
  }

  private void count(ByteBuf frame, int start) {
    int size = frame.readableBytes();
    if (size != HEADER_SIZE && size != RESET_SIZE && size != PING_SIZE) {
      return;
    }
    byte type = frame.getByte(start + TYPE_AT);
    if (size == HEADER_SIZE && (type == Http2FrameTypes.DATA || type == Http2FrameTypes.HEADERS)) {
      allowance.sent(frame.getUnsignedMedium(start));
    } else if (size == PING_SIZE
        && type == Http2FrameTypes.PING
        && frame.getByte(start + FLAGS_AT) == 0) {
      allowance.sent(0);
    } else if (size == RESET_SIZE && type == Http2FrameTypes.RST_STREAM) {
      createReset(frame.getInt(start + STREAM_AT));
    }
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
