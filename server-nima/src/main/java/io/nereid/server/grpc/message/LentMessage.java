package io.nereid.server.grpc.message;

import io.grpc.ServerCall;
import io.nereid.server.codec.protobuf.OutgoingMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message that leaves from the memory of its tensors, without a copy of them. grpc-java copies
 * what a marshaller writes into a buffer of {@link LendingAllocator}; for this message, that is a
 * buffer of the tensors themselves, and nothing is written. The memory is lent until the last byte
 * has reached the socket, or is dropped with the stream or the connection.
 */
public final class LentMessage implements OutgoingMessage {
  /** The flag and the length that grpc-java writes before a message. */
  private static final int PREFIX = 5;

  private static final ScopedValue<LentMessage> SENT = ScopedValue.newInstance();

  private final OutgoingMessage message;
  private final List<ByteBuffer> pieces;
  private final Runnable release;

  /** What grpc-java got for this message; null before. */
  private @Nullable Buffer buffer;

  /**
   * @param message the same, to be copied if grpc-java asks for no buffer
   * @param pieces of the message, the first of them encoded; native memory is lent
   * @param release ends the loan; it is called once, by any thread
   */
  public LentMessage(OutgoingMessage message, List<ByteBuffer> pieces, Runnable release) {
    this.message = message;
    this.pieces = List.copyOf(pieces);
    this.release = release;
  }

  /** Sends the message to a call whose messages are not compressed. Called once. */
  public void sendTo(ServerCall<?, OutgoingMessage> call) {
    try {
      ScopedValue.where(SENT, this).run(() -> call.sendMessage(this));
    } finally {
      if (buffer == null || !buffer.lends) {
        release.run();
      }
    }
  }

  /** The buffer of the message that is sent now, the first time that it is asked for. */
  static @Nullable ByteBuf buffer(ByteBufAllocator allocator) {
    LentMessage sent = SENT.isBound() ? SENT.get() : null;
    if (sent == null || sent.buffer != null) {
      return null;
    }
    sent.buffer = new Buffer(allocator, sent.pieces, sent.release);
    return sent.buffer;
  }

  @Override
  public int byteSize() {
    return message.byteSize();
  }

  @Override
  public void writeTo(OutputStream stream) throws IOException {
    if (buffer == null) {
      message.writeTo(stream);
    } else {
      buffer.lend();
    }
  }

  /** Has room for the prefix alone, until the pieces are added. */
  private static final class Buffer extends CompositeByteBuf {
    private final List<ByteBuffer> pieces;
    private final Runnable release;
    private boolean lends;

    Buffer(ByteBufAllocator allocator, List<ByteBuffer> pieces, Runnable release) {
      super(allocator, /* direct= */ true, /* maxNumComponents= */ pieces.size() + 1);
      this.pieces = pieces;
      this.release = release;
      ByteBuffer first = pieces.getFirst();
      ByteBuf begin = allocator.directBuffer(PREFIX + first.remaining());
      addComponent(false, begin.writeZero(PREFIX).writeBytes(first.duplicate()));
    }

    void lend() {
      lends = true;
      writerIndex(capacity());
      for (ByteBuffer piece : pieces.subList(1, pieces.size())) {
        addComponent(true, piece.isDirect() ? Unpooled.wrappedBuffer(piece) : copyOf(piece));
      }
    }

    /** A single buffer of the heap would have Netty copy all of them. */
    private ByteBuf copyOf(ByteBuffer piece) {
      return alloc().directBuffer(piece.remaining()).writeBytes(piece.duplicate());
    }

    @Override
    protected void deallocate() {
      super.deallocate();
      if (lends) {
        release.run();
      }
    }
  }
}
