package io.nereid.server.grpc.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.Test;

class TlsReadsTest {
  private static final int SMALL = 4 << 10;

  private static ByteBuf join(ByteBuf joined, ByteBuf next) {
    return TlsReads.INSTANCE.cumulate(UnpooledByteBufAllocator.DEFAULT, joined, next);
  }

  private static ByteBuf filled(int byteSize, int value) {
    ByteBuf buffer = Unpooled.buffer(byteSize);
    while (buffer.readableBytes() < byteSize) {
      var _ = buffer.writeByte(value);
    }
    return buffer;
  }

  @Test
  void aLargePartStaysWhereItIs() {
    ByteBuf first = filled(9_000, 1);
    ByteBuf next = filled(SMALL + 1, 2);

    ByteBuf joined = join(join(Unpooled.EMPTY_BUFFER, first), next);

    assertThat(joined.readableBytes()).isEqualTo(9_000 + SMALL + 1);
    var _ = first.setByte(8_999, 3);
    var _ = next.setByte(0, 4);
    assertThat(joined.getUnsignedShort(8_999)).isEqualTo(0x304);
    joined.release();
    assertThat(first.refCnt() + next.refCnt()).isZero();
  }

  @Test
  void aSmallPartIsCopied() {
    ByteBuf first = filled(9_000, 1);
    ByteBuf next = filled(SMALL, 2);

    ByteBuf joined = join(first, next);

    assertThat(next.refCnt()).isZero();
    assertThat(joined.readableBytes()).isEqualTo(9_000 + SMALL);
    assertThat(joined.getUnsignedShort(8_999)).isEqualTo(0x102);
    joined.release();
  }

  @Test
  void smallPartsBehindLargeOnesAreCopied() {
    ByteBuf joined = join(filled(9_000, 1), filled(9_000, 2));
    for (int i = 0; i < 10_000; i++) {
      ByteBuf next = filled(1, 3);
      joined = join(joined, next);
      assertThat(next.refCnt()).isZero();
    }
    joined = join(joined, filled(9_000, 4));

    assertThat(joined.readableBytes()).isEqualTo(37_000);
    assertThat(joined.getUnsignedShort(17_999)).isEqualTo(0x203);
    assertThat(joined.getUnsignedShort(27_999)).isEqualTo(0x304);
    joined.release();
  }

  @Test
  void aBufferThatIsNotHalfFullIsNotKept() {
    ByteBuf roomy = Unpooled.buffer(100_000).writeZero(49_999);

    ByteBuf joined = join(Unpooled.EMPTY_BUFFER, roomy);

    assertThat(roomy.refCnt()).isZero();
    assertThat(joined.capacity()).isLessThan(60_000);
    joined.release();
  }
}
