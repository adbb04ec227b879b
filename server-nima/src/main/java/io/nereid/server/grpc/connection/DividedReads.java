package io.nereid.server.grpc.connection;

import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.memory.RequestMemory.Reservation;
import io.nereid.error.InferenceException;
import io.nereid.server.grpc.limits.GrpcRefusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * Sees what was read of a connection first, and divides the large reads of {@link CallReads}: a
 * megabyte may have the headers of thirty thousand calls, of which a turn of the event loop begins
 * {@link CallReads#MAX_CALLS}. Nothing more is read until the rest was passed on. With TLS it sees
 * the records of a read one by one. It counts the control frames, also those that Netty ignores
 * since their stream has ended.
 *
 * <p>While a large message comes without TLS, whole frames are passed on. Netty would join the
 * beginning of a frame with the next read, and copy all of that; here the next read begins with it.
 *
 * <p>Knows of HTTP/2 only where a frame begins, what its length and its type are (RFC 9113, section
 * 4.1). For the event loop of the connection.
 */
final class DividedReads extends ChannelInboundHandlerAdapter {
  /** The bytes of a frame's header before its type, which are the length of its payload. */
  private static final int LENGTH_BYTES = 3;

  /**
   * The longest payload that a client may send: so that a {@link CallReads#USUAL} read has a whole
   * frame of a large message behind its headers, from which on the message is counted.
   */
  static final int MAX_FRAME = 60 << 10;

  /** The bytes of a frame's header behind its type. */
  private static final int REST_OF_HEADER = Http2CodecUtil.FRAME_HEADER_LENGTH - LENGTH_BYTES - 1;

  private static final int BEFORE = -1;

  private final GrpcConnection connection;

  /** Whether it sees records, to which {@link TlsReads} joins the next ones. */
  private final boolean decrypted;

  /** The bytes until the next frame begins. */
  private int skipped = Http2CodecUtil.connectionPrefaceBuf().readableBytes();

  /** The bytes of the next frame's length that have come, and their value. */
  private int lengthBytes;

  private int length;

  /** Where the last frame of a read begins; {@link #BEFORE} if that is in a read before it. */
  private int frameAt = BEFORE;

  /** The payload of that frame. */
  private int frameLength;

  /** The beginning of a frame, with which the next read begins; owned. */
  private @Nullable ByteBuf begun;

  /** What waits for the next turn; owned. */
  private @Nullable ByteBuf rest;

  private @Nullable Reservation held;

  /** What was read in this turn, and the calls that begin by it. */
  private long turnBytes;

  private int turnCalls;

  /** The frames among those that were counted last which are neither headers nor data. */
  private int controlFrames;

  /**
   * @param decrypted whether it is behind the decryption
   */
  DividedReads(GrpcConnection connection, boolean decrypted) {
    this.connection = connection;
    this.decrypted = decrypted;
  }

  /** What the next read begins with; borrowed, and not to be changed. Null for nothing. */
  @Nullable ByteBuf begun() {
    return begun;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof SslHandshakeCompletionEvent handshake
        && handshake.cause() instanceof SSLHandshakeException failed) {
      connection.handshakeFailed(failed);
    }
    var _ = context.fireUserEventTriggered(event);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (begun != null) {
      begun.release();
      begun = null;
    }
    if (connection.isFlooded()) {
      ReferenceCountUtil.release(message);
      return;
    }
    ByteBuf read = withoutRoom(context.alloc(), (ByteBuf) message);
    ByteBuf waiting = rest;
    if (waiting == null) {
      turnBytes += read.readableBytes();
      pass(context, read, isLarge() ? CallReads.MAX_CALLS : Integer.MAX_VALUE);
    } else { // the last bytes of a client that has closed, or the next record
      rest = TlsReads.INSTANCE.cumulate(context.alloc(), waiting, read);
    }
  }

  private boolean isLarge() {
    return turnBytes > CallReads.USUAL;
  }

  /**
   * Ends a turn, whereupon Netty writes what there is to write. A large message has its windows
   * returned, which its response may overtake within the turn: so they leave together.
   */
  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    boolean large = isLarge();
    turnBytes = 0;
    turnCalls = 0;
    if (large) {
      context
          .executor()
          .execute(() -> {
            var _ = context.fireChannelReadComplete();
          });
    } else {
      var _ = context.fireChannelReadComplete();
    }
  }

  /** What was read, in a buffer that is at least half full, as its frames may keep it for long. */
  static ByteBuf withoutRoom(ByteBufAllocator allocator, ByteBuf read) {
    int count = read.readableBytes();
    if (read.capacity() <= CallReads.USUAL || count >= read.capacity() / 2) {
      return read;
    }
    try {
      return allocator.directBuffer(count).writeBytes(read);
    } finally {
      read.release();
    }
  }

  private void pass(ChannelHandlerContext context, ByteBuf read, int maxCalls) {
    controlFrames = 0;
    int count = countFrames(read, maxCalls);
    passFirst(context, read, count);
    connection.countControlFrames(controlFrames);
  }

  private void passFirst(ChannelHandlerContext context, ByteBuf read, int count) {
    if (count == read.readableBytes()) {
      passFrames(context, read);
      return;
    }
    ByteBuf part = read.readRetainedSlice(count);
    rest = read;
    try {
      held = connection.hold(decrypted ? CallReads.LARGEST_ENCRYPTED : read.capacity());
    } catch (InferenceException exhausted) {
      part.release();
      connection.refuse(GrpcRefusal.MEMORY);
      var _ = context.close();
      return;
    }
    var _ = context.channel().config().setAutoRead(false);
    // A task of execute would run in this turn.
    var _ = context.executor().schedule(() -> resume(context), 0, TimeUnit.NANOSECONDS);
    var _ = context.fireChannelRead(part);
  }

  /** Passes on all of a read, but for the beginning of a frame of a large message. */
  private void passFrames(ChannelHandlerContext context, ByteBuf read) {
    boolean isWhole = skipped == 0 && lengthBytes == 0;
    boolean mayKeep =
        !decrypted
            && !isWhole
            && frameAt != BEFORE
            && frameLength <= MAX_FRAME
            && (connection.ahead() > 0 || read.readableBytes() > RequestMemory.UNCOUNTED / 2);
    if (mayKeep && frameAt > read.readerIndex()) {
      var _ = context.fireChannelRead(read.readRetainedSlice(frameAt - read.readerIndex()));
    }
    if (mayKeep && connection.ahead() > CallReads.USUAL && context.channel().isActive()) {
      begun = read;
      skipped = 0;
      lengthBytes = 0;
      length = 0;
    } else {
      var _ = context.fireChannelRead(read);
    }
  }

  private void resume(ChannelHandlerContext context) {
    ByteBuf read = rest;
    if (read == null) {
      return; // closed meanwhile
    }
    rest = null;
    release();
    turnCalls = 1; // it begins within the headers of one
    pass(context, read, CallReads.MAX_CALLS);
    turnCalls = 0;
    var _ = context.fireChannelReadComplete();
    if (rest == null) {
      var _ = context.channel().config().setAutoRead(true);
    }
  }

  /** The bytes up to the type of the header block that is one too many, or all of them. */
  private int countFrames(ByteBuf read, int maxCalls) {
    int end = read.writerIndex();
    frameAt = BEFORE;
    for (int at = read.readerIndex(); at < end; ) {
      if (skipped > 0) {
        int step = Math.min(skipped, end - at);
        skipped -= step;
        at += step;
      } else if (lengthBytes < LENGTH_BYTES) {
        frameAt = lengthBytes == 0 ? at : frameAt;
        frameLength = 0;
        length = length << Byte.SIZE | read.getUnsignedByte(at++);
        lengthBytes++;
      } else {
        byte type = read.getByte(at++);
        skipped = REST_OF_HEADER + length;
        frameLength = length;
        lengthBytes = 0;
        length = 0;
        if (type == Http2FrameTypes.HEADERS) {
          if (++turnCalls > maxCalls) {
            return at - read.readerIndex();
          }
        } else if (type != Http2FrameTypes.DATA) {
          controlFrames++;
        }
      }
    }
    return read.readableBytes();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    release();
    var _ = context.fireChannelInactive();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    release();
  }

  /** Ends what is held of the rest, and releases what is kept. */
  private void release() {
    if (held != null) {
      held.close();
      held = null;
    }
    if (rest != null) {
      rest.release();
      rest = null;
    }
    if (begun != null) {
      begun.release();
      begun = null;
    }
  }
}
