package io.nereid.server.grpc.connection;

import io.nereid.server.grpc.limits.FrameAllowance;
import io.nereid.server.grpc.limits.GrpcRefusal;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Settings;

/**
 * Sees the frames of a connection before grpc-java does: counts those as control frames of which
 * {@link DividedReads} does not know by their type what they cost, drops data that is useless, and
 * notes what it reads. grpc-java itself limits resets and pings, Netty the answers that wait to be
 * sent and the parts of a header block. Called by the event loop.
 */
final class FrameLimits extends Http2FrameListenerDecorator {
  /**
   * Streams whose windows are changed in the time of another frame; a tenth of a microsecond each.
   */
  private static final int STREAMS_PER_FRAME = 16;

  private final GrpcConnection connection;
  private final Http2Calls http2;
  private final LargeRequests large;
  private final FrameAllowance allowance;

  /** The window of a new stream, as the client has set it last. */
  private long initialWindow;

  FrameLimits(
      Http2FrameListener target,
      GrpcConnection connection,
      Http2Calls http2,
      LargeRequests large,
      FrameAllowance allowance) {
    super(target);
    this.allowance = allowance;
    this.connection = connection;
    this.http2 = http2;
    this.large = large;
    initialWindow = http2.flow().initialWindowSize();
  }

  @Override
  public int onDataRead(
      ChannelHandlerContext context, int streamId, ByteBuf data, int padding, boolean endOfStream)
      throws Http2Exception {
    connection.dataComes(streamId, endOfStream);
    if (!endOfStream) {
      if (!data.isReadable()) {
        spend(1);
      } else if (large.drops(streamId, data)) {
        return data.readableBytes() + padding;
      }
    }
    return super.onDataRead(context, streamId, data, padding, endOfStream);
  }

  @Override
  public void onSettingsRead(ChannelHandlerContext context, Http2Settings settings)
      throws Http2Exception {
    spend(cost(settings));
    noteWindow(settings);
    super.onSettingsRead(context, settings);
  }

  @Override
  public void onRstStreamRead(ChannelHandlerContext context, int streamId, long errorCode)
      throws Http2Exception {
    allowance.earn(1); // of a stream that has not ended: grpc-java counts these
    if (large.hasEnded(streamId)) {
      return; // a client that stops sending, as it was told
    }
    try {
      super.onRstStreamRead(context, streamId, errorCode);
    } catch (Http2Exception refused) {
      if (refused.error() == Http2Error.ENHANCE_YOUR_CALM) {
        connection.refuse(GrpcRefusal.RESETS);
      }
      throw refused;
    }
  }

  @Override
  public void onWindowUpdateRead(ChannelHandlerContext context, int streamId, int byteSize)
      throws Http2Exception {
    http2.growSendWindow(streamId, byteSize);
    super.onWindowUpdateRead(context, streamId, byteSize);
  }

  /** Tells by how much all windows change, which is not because the client has read. */
  private void noteWindow(Http2Settings settings) throws Http2Exception {
    Integer window = settings.initialWindowSize();
    if (window != null) {
      http2.growSendWindows(window - initialWindow);
      initialWindow = window;
    }
  }

  /** Frames that cost as much as a new window does, for which all streams are visited. */
  private int cost(Http2Settings settings) {
    return settings.initialWindowSize() == null
        ? 0
        : http2.connection().numActiveStreams() / STREAMS_PER_FRAME;
  }

  private void spend(int frames) throws Http2Exception {
    allowance.spend(frames);
    if (allowance.isSpent()) {
      throw connection.flooded(); // whereupon Netty reads no other frame
    }
  }
}
