package io.nereid.server.grpc.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.telemetry.refusal.Refusals;
import io.nereid.server.grpc.connection.GrpcConnection.ConnectionSettings;
import io.nereid.server.grpc.limits.CallCount;
import io.nereid.server.grpc.limits.GrpcLimits;
import io.nereid.server.grpc.limits.GrpcRefusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DividedReadsTest {
  private static final int CALL = 40;
  private static final long BUDGET = 64 << 20;

  private final RequestMemory memory = new RequestMemory(BUDGET, Long.MAX_VALUE);
  private final Refusals<GrpcRefusal> refusals =
      new Refusals<>(GrpcRefusal.class, "gRPC", System::nanoTime);
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final List<ByteBuf> passed = new ArrayList<>();
  private final GrpcConnection connection =
      new GrpcConnection(
          channel,
          ClientKey.LOCAL,
          new ConnectionSettings(GrpcLimits.DEFAULT, refusals, memory, new CallCount(10)));
  private final DividedReads reads = new DividedReads(connection, false);

  DividedReadsTest() {
    channel.pipeline().addFirst(reads);
  }

  @AfterEach
  void nothingIsLeft() {
    channel.finishAndReleaseAll();
    passed.forEach(ByteBuf::release);
    assertThat(memory.usedBytes()).isZero();
  }

  private static void putFrame(ByteBuf target, int type, int byteSize) {
    target.writeMedium(byteSize).writeByte(type).writeByte(0).writeInt(1).writeZero(byteSize);
  }

  private static ByteBuf preface() {
    return Http2CodecUtil.connectionPrefaceBuf();
  }

  /** Data of more than a usual read, and calls behind it. */
  private static ByteBuf dataAndCalls(int calls) {
    ByteBuf read = Unpooled.buffer().writeBytes(preface());
    for (int i = 0; i < 10; i++) {
      putFrame(read, Http2FrameTypes.DATA, 16_384);
    }
    for (int i = 0; i < calls; i++) {
      putFrame(read, Http2FrameTypes.HEADERS, CALL);
    }
    return read.capacity(read.writerIndex());
  }

  private int passed() {
    int byteSize = 0;
    for (ByteBuf next = channel.readInbound(); next != null; next = channel.readInbound()) {
      byteSize += next.readableBytes();
      passed.add(next);
    }
    return byteSize;
  }

  /** A turn reads this, and runs no task. */
  private void read(ByteBuf read) {
    var _ = channel.pipeline().fireChannelRead(read);
  }

  /** Has the next turn begin. */
  private void turn() {
    var _ = channel.runScheduledPendingTasks();
  }

  @Test
  void aLargeReadWithFewCallsIsPassedOnWhole() {
    ByteBuf read = dataAndCalls(CallReads.MAX_CALLS);
    int byteSize = read.readableBytes();

    read(read);

    assertThat(passed()).isEqualTo(byteSize);
    assertThat(channel.config().isAutoRead()).isTrue();
  }

  @Test
  void aTurnBeginsFewCallsAndNothingIsReadUntilAllHaveBegun() {
    ByteBuf read = dataAndCalls(3 * CallReads.MAX_CALLS);
    int byteSize = read.readableBytes();
    int calls = CallReads.MAX_CALLS * (CALL + Http2CodecUtil.FRAME_HEADER_LENGTH);

    read(read);
    int first = passed();

    assertThat(byteSize - first).isBetween(2 * calls - 10, 2 * calls);
    assertThat(channel.config().isAutoRead()).isFalse();
    assertThat(memory.usedBytes()).as("what waits is counted").isGreaterThan(100_000);
    turn();
    assertThat(passed()).isEqualTo(calls);
    assertThat(channel.config().isAutoRead()).isFalse();
    turn();
    assertThat(passed()).isEqualTo(byteSize - first - calls);
    assertThat(channel.config().isAutoRead()).isTrue();
    assertThat(memory.usedBytes()).isZero();
  }

  /** Has the reads be those of a connection with TLS. */
  private void decrypt() {
    var _ = channel.pipeline().replace(reads, null, new DividedReads(connection, true));
  }

  /** A turn reads this in records of so many bytes. */
  private void readRecords(ByteBuf read, int size) {
    while (read.isReadable()) {
      read(read.readBytes(Math.min(size, read.readableBytes())));
    }
    read.release();
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 8_000, 16_384})
  void aTurnBeginsFewCallsOfAllItsRecords(int size) {
    decrypt();
    ByteBuf read = dataAndCalls(3 * CallReads.MAX_CALLS);
    int byteSize = read.readableBytes();
    int calls = CallReads.MAX_CALLS * (CALL + Http2CodecUtil.FRAME_HEADER_LENGTH);

    readRecords(read, size);
    int first = passed();

    assertThat(byteSize - first).isBetween(2 * calls - 10, 2 * calls);
    assertThat(channel.config().isAutoRead()).isFalse();
    assertThat(memory.usedBytes())
        .as("what waits is counted")
        .isEqualTo(CallReads.LARGEST_ENCRYPTED);
    turn();
    assertThat(passed()).isEqualTo(calls);
    turn();
    assertThat(passed()).isEqualTo(byteSize - first - calls);
    assertThat(channel.config().isAutoRead()).isTrue();
  }

  @Test
  void eachTurnBeginsAsManyCallsOfItsRecords() {
    decrypt();
    for (int i = 0; i < 3; i++) {
      ByteBuf read = dataAndCalls(CallReads.MAX_CALLS).skipBytes(i == 0 ? 0 : 24);
      int byteSize = read.readableBytes();

      readRecords(read, 16_384);
      var _ = channel.pipeline().fireChannelReadComplete();

      assertThat(passed()).isEqualTo(byteSize);
      assertThat(channel.config().isAutoRead()).isTrue();
    }
  }

  @Test
  void theBeginningOfAFrameIsPassedOnWithItsRecord() {
    decrypt();
    connection.addAhead(500_000);
    read(preface());

    read(data(1, 100));

    assertThat(passed()).isEqualTo(24 + 16_393 + 100);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 9, 24, 1_000})
  void framesAreFoundWhereverReadsEnd(int size) {
    ByteBuf before = Unpooled.buffer().writeBytes(preface());
    for (int i = 0; i < 50; i++) {
      putFrame(before, Http2FrameTypes.HEADERS, i);
    }
    while (before.isReadable()) {
      read(before.readBytes(Math.min(size, before.readableBytes())));
    }
    before.release();
    int byteSize = passed();
    assertThat(byteSize).isEqualTo(24 + 50 * 9 + 49 * 50 / 2);

    ByteBuf read = dataAndCalls(CallReads.MAX_CALLS + 1).skipBytes(24);
    read(read);
    passed();

    assertThat(channel.config().isAutoRead()).isFalse();
  }

  @Test
  void theRestOfAConnectionThatClosesIsDropped() {
    ByteBuf read = dataAndCalls(3 * CallReads.MAX_CALLS);
    read(read);
    passed();

    var _ = channel.pipeline().fireChannelInactive();
    turn();

    assertThat(passed()).isZero();
    assertThat(memory.usedBytes()).isZero();
    passed.forEach(ByteBuf::release);
    passed.clear();
    assertThat(read.refCnt()).isZero();
  }

  @Test
  void aConnectionWhoseRestFindsNoMemoryIsClosed() {
    memory.acquire(ClientKey.LOCAL, BUDGET / 2);

    read(dataAndCalls(3 * CallReads.MAX_CALLS));

    assertThat(channel.isOpen()).isFalse();
    assertThat(refusals.counts()).containsEntry(GrpcRefusal.MEMORY, 1L);
    memory.release(ClientKey.LOCAL, BUDGET / 2);
  }

  @Test
  void aBufferThatIsNotHalfFullIsNotKept() {
    ByteBuf full = Unpooled.buffer(100_000).writeZero(50_000);
    ByteBuf roomy = Unpooled.buffer(100_000).writeZero(49_999);

    read(full);
    read(roomy);

    assertThat(full.refCnt()).as("passed on").isPositive();
    assertThat(roomy.refCnt()).isZero();
    assertThat(passed()).isEqualTo(99_999);
    assertThat(passed.getLast().capacity()).isLessThan(60_000);
  }

  /** A read begins with what is kept of the one before it, as {@link CallReads} makes it. */
  private void readBehindBegun(ByteBuf read) {
    ByteBuf begun = reads.begun();
    read(begun == null ? read : Unpooled.copiedBuffer(begun, read));
  }

  /** Data of so many frames, and so many bytes of another one. */
  private static ByteBuf data(int frames, int more) {
    ByteBuf data = Unpooled.buffer();
    for (int i = 0; i <= frames; i++) {
      putFrame(data, Http2FrameTypes.DATA, 16_384);
    }
    int byteSize = frames * (16_384 + 9) + more;
    return data.writerIndex(byteSize).capacity(byteSize);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 8, 9, 10, 16_392})
  void theBeginningOfAFrameOfALargeMessageIsPassedOnWithItsRest(int begun) {
    connection.addAhead(500_000);
    read(preface());
    passed();

    readBehindBegun(data(3, begun));
    assertThat(passed()).as("whole frames").isEqualTo(3 * 16_393);
    assertThat(reads.begun()).extracting(ByteBuf::readableBytes).isEqualTo(begun);
    readBehindBegun(data(1, 0).skipBytes(begun));
    assertThat(passed()).isEqualTo(16_393);
    assertThat(reads.begun()).isNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, CallReads.USUAL})
  void theBeginningOfAFrameIsPassedOnUnlessALargeMessageComes(int ahead) {
    connection.addAhead(ahead);
    read(preface());

    readBehindBegun(data(3, 100));
    readBehindBegun(data(1, 0).skipBytes(100));

    assertThat(reads.begun()).isNull();
    assertThat(passed()).isEqualTo(24 + 4 * 16_393);
  }

  @Test
  void theBeginningOfAFrameIsKeptFromTheReadThatMakesAMessageLarge() {
    channel
        .pipeline()
        .addLast(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelRead(ChannelHandlerContext context, Object message) {
                connection.addAhead(100_000);
                var _ = context.fireChannelRead(message);
              }
            });

    read(preface());
    readBehindBegun(data(2, 100));

    assertThat(passed()).isEqualTo(24 + 2 * 16_393);
    assertThat(reads.begun()).extracting(ByteBuf::readableBytes).isEqualTo(100);
  }

  @Test
  void aFrameIsPassedOnWhoseBeginningWasPassedOn() {
    read(preface());
    readBehindBegun(data(0, 100));
    connection.addAhead(500_000);

    readBehindBegun(data(0, 8_000).skipBytes(100));
    assertThat(reads.begun()).isNull();
    readBehindBegun(data(2, 50).skipBytes(8_000));

    assertThat(passed()).isEqualTo(24 + 2 * 16_393);
    assertThat(reads.begun()).extracting(ByteBuf::readableBytes).isEqualTo(50);
  }

  @Test
  void theBeginningOfAFrameThatIsTooLongIsPassedOn() {
    connection.addAhead(500_000);
    ByteBuf frame = Unpooled.buffer();
    putFrame(frame, Http2FrameTypes.DATA, DividedReads.MAX_FRAME + 1);
    read(preface());

    readBehindBegun(frame.capacity(1_000));

    assertThat(reads.begun()).isNull();
    assertThat(passed()).isEqualTo(24 + 1_000);
  }

  @Test
  void theBeginningOfAFrameIsDroppedWithItsConnection() {
    connection.addAhead(500_000);
    read(preface());
    ByteBuf frames = data(3, 100);
    readBehindBegun(frames);
    passed();

    var _ = channel.pipeline().fireChannelInactive();

    assertThat(reads.begun()).isNull();
    passed.forEach(ByteBuf::release);
    passed.clear();
    assertThat(frames.refCnt()).isZero();
  }

  /** What happens in a turn with a read: a task that the read has made runs, and the turn ends. */
  private List<String> turn(ByteBuf read) {
    List<String> events = new ArrayList<>();
    channel
        .pipeline()
        .addLast(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelRead(ChannelHandlerContext context, Object message) {
                context.executor().execute(() -> events.add("task"));
                var _ = context.fireChannelRead(message);
              }

              @Override
              public void channelReadComplete(ChannelHandlerContext context) {
                events.add("end");
              }
            });
    channel
        .eventLoop()
        .execute(() -> {
          read(read);
          var _ = channel.pipeline().fireChannelReadComplete();
        });
    channel.runPendingTasks();
    passed();
    return events;
  }

  @Test
  void aTurnWithALargeReadEndsBehindTheTasksThatItHasMade() {
    assertThat(turn(dataAndCalls(0))).containsExactly("task", "end");
  }

  @Test
  void aTurnWithoutALargeReadEndsAtOnce() {
    assertThat(turn(preface())).containsExactly("end", "task");
  }
}
