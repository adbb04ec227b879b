package io.nereid.server.grpc.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.ByteToMessageDecoder.Cumulator;

/**
 * How the parts of a TLS record become a record, and the parts of a frame in several records a
 * frame. A record has at most 16 KiB and a frame of a large message nine bytes more, so nearly all
 * reads and all records end within one. Netty would copy what is there, and all that has come
 * behind it; here large parts stay where they are. Small ones are copied, as each may keep a buffer
 * of many times its size. Has no state.
 */
final class TlsReads implements Cumulator {
  static final Cumulator INSTANCE = new TlsReads();

  /** The largest part that is copied. */
  private static final int SMALL = 4 << 10;

  private TlsReads() {}

  @Override
  public ByteBuf cumulate(ByteBufAllocator allocator, ByteBuf joined, ByteBuf next) {
    Cumulator chosen =
        next.readableBytes() <= SMALL
            ? ByteToMessageDecoder.MERGE_CUMULATOR
            : ByteToMessageDecoder.COMPOSITE_CUMULATOR;
    return chosen.cumulate(allocator, joined, DividedReads.withoutRoom(allocator, next));
  }
}
