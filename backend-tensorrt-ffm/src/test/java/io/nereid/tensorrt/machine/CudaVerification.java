package io.nereid.tensorrt.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.tensorrt.cuda.CudaEvent;
import io.nereid.tensorrt.cuda.CudaException;
import io.nereid.tensorrt.cuda.CudaGraph;
import io.nereid.tensorrt.cuda.CudaIpc;
import io.nereid.tensorrt.cuda.CudaStream;
import io.nereid.tensorrt.cuda.DeviceBuffer;
import io.nereid.tensorrt.cuda.DeviceMemory;
import io.nereid.tensorrt.cuda.PinnedPool;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * What the CUDA layer promises, checked by the content of memory. One subclass runs it on a GPU,
 * another one with the double of libcudart.
 */
abstract class CudaVerification extends CudaUnderTest {
  @Test
  void copiesPageableMemoryToTheDeviceAndBack() {
    sizes().forEach(size -> roundTrip(random(size, size), arena.allocate(size)));
  }

  @Test
  void copiesPageLockedMemoryToTheDeviceAndBack() {
    sizes()
        .forEach(size -> {
          MemorySegment source = pinned.allocate(size);
          MemorySegment target = pinned.allocate(size);

          roundTrip(random(source, size), target);

          assertThat(pinned.contains(source)).isTrue();
          pinned.free(source);
          pinned.free(target);
          assertThat(pinned.contains(source)).isFalse();
        });
  }

  @Test
  void copiesWithinTheDevice() {
    sizes()
        .forEach(size -> {
          MemorySegment source = random(size, size);
          MemorySegment target = arena.allocate(size);
          DeviceBuffer first = pool.allocate(size, stream);
          DeviceBuffer second = pool.allocate(size + 5, stream);

          stream.copyToDevice(first, 0, source, size);
          stream.copyOnDevice(second, 5, first, 0, size);
          stream.copyToHost(target, second, 5, size);
          stream.synchronize();

          assertSame(target, source);
          first.free(stream);
          second.free(stream);
        });
  }

  @Test
  void fillsAPartOfABufferAndLeavesTheRest() {
    DeviceBuffer buffer = pool.allocate(100, stream);
    MemorySegment target = arena.allocate(100);

    stream.fill(buffer, 0, 100, (byte) 1);
    stream.fill(buffer, 10, 30, (byte) -2);
    stream.copyToHost(target, buffer, 0, 100);
    stream.synchronize();

    for (int i = 0; i < 100; i++) {
      assertThat(target.get(ValueLayout.JAVA_BYTE, i))
          .isEqualTo((byte) (i >= 10 && i < 40 ? -2 : 1));
    }
    buffer.free(stream);
  }

  @Test
  void aPoolReusesWhatWasFreedOnItsStream() {
    long size = largestBytes();
    for (int round = 0; round < 20; round++) {
      DeviceBuffer buffer = pool.allocate(size, stream);
      assertThat(pool.usedBytes()).isGreaterThanOrEqualTo(size);
      buffer.free(stream);
      stream.synchronize();
    }

    assertThat(pool.usedBytes()).isZero();
    assertThat(pool.reservedBytes()).isBetween(size, 3 * size + (64L << 20));
  }

  @Test
  void moreMemoryThanTheDeviceHasIsAnErrorThatLeavesTheDeviceUsable() {
    long tooMuch = device.memory().total() + (1L << 30);

    assertThatThrownBy(() -> pool.allocate(tooMuch, stream))
        .isInstanceOfSatisfying(
            CudaException.class,
            failed -> {
              assertThat(failed.isOutOfMemory()).isTrue();
              assertThat(failed.isSticky()).isFalse();
            });

    roundTrip(random(1000, 1), arena.allocate(1000));
  }

  @Test
  void aPinnedPoolLeasesABufferAgain() {
    try (var buffers = new PinnedPool(pinned, 1 << 20)) {
      MemorySegment first;
      try (var buffer = Objects.requireNonNull(buffers.tryLease(5000))) {
        first = buffer.memory();
        roundTrip(random(5000, 1), first.asSlice(0, 5000));
      }
      try (var buffer = Objects.requireNonNull(buffers.tryLease(6000))) {
        assertThat(buffer.memory()).isEqualTo(first);
        assertThat(buffers.tryLease(1 << 20)).isNull();
      }
    }
  }

  /** Without the wait, the second stream would read what the first one has not yet written. */
  @Test
  void aStreamWaitsForAnEventOfAnotherStream() {
    long size = largestBytes();
    MemorySegment source = pinned.allocate(size);
    MemorySegment target = pinned.allocate(size);
    try (var copied = CudaEvent.create(false, false);
        var second = CudaStream.create(0)) {
      DeviceBuffer buffer = pool.allocate(size, stream);
      for (int round = 0; round < 20; round++) {
        random(source, round);
        stream.copyToDevice(buffer, 0, source, size);
        copied.record(stream);
        second.await(copied);
        second.copyToHost(target, buffer, 0, size);
        second.synchronize();
        assertSame(target, source);
      }
      buffer.free(stream);
      stream.synchronize();
    }
    pinned.free(source);
    pinned.free(target);
  }

  @Test
  void eventsTellThatWorkIsDoneAndHowLongItTook() {
    long size = largestBytes();
    try (var start = CudaEvent.create(true, true);
        var end = CudaEvent.create(true, true)) {
      DeviceBuffer buffer = pool.allocate(size, stream);
      start.record(stream);
      stream.fill(buffer, 0, size, (byte) 0);
      end.record(stream);
      end.synchronize();

      assertThat(end.isComplete()).isTrue();
      assertThat(start.isComplete()).isTrue();
      assertThat(CudaEvent.millisBetween(start, end)).isBetween(0f, 60_000f);
      buffer.free(stream);
    }
  }

  @Test
  void streamsOfEveryPriorityWork() {
    for (int p = device.greatestStreamPriority(); p <= device.leastStreamPriority(); p++) {
      try (var one = CudaStream.create(p)) {
        MemorySegment target = arena.allocate(64);
        DeviceBuffer buffer = pool.allocate(64, one);
        one.fill(buffer, 0, 64, (byte) (p - 1));
        one.copyToHost(target, buffer, 0, 64);
        buffer.free(one);
        one.synchronize();
        assertThat(target.get(ValueLayout.JAVA_BYTE, 63)).isEqualTo((byte) (p - 1));
        assertThat(one.isIdle()).isTrue();
      }
    }
  }

  @Test
  void aGraphRepeatsCopiesAndFillsWithTheContentOfEachLaunch() {
    long size = largestBytes();
    MemorySegment source = pinned.allocate(size);
    MemorySegment target = pinned.allocate(size + 8);
    DeviceBuffer buffer = pool.allocate(size + 8, stream);
    stream.synchronize();

    try (var graph =
        CudaGraph.capture(
            stream,
            () -> {
              stream.fill(buffer, 0, 8, (byte) 7);
              stream.copyToDevice(buffer, 8, source, size);
              stream.copyToHost(target, buffer, 0, size + 8);
            })) {
      for (int round = 0; round < 10; round++) {
        random(source, round);
        target.fill((byte) 0);
        graph.launch(stream);
        stream.synchronize();
        assertSame(target.asSlice(8), source);
        assertThat(target.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(0x0707070707070707L);
      }
    }
    buffer.free(stream);
    stream.synchronize();
    pinned.free(source);
    pinned.free(target);
  }

  @Test
  void aCaptureThatFailsLeavesItsStreamUsable() {
    DeviceBuffer buffer = pool.allocate(8, stream);
    stream.synchronize();

    assertThatThrownBy(() ->
            CudaGraph.capture(
                stream,
                () -> {
                  stream.fill(buffer, 0, 8, (byte) 7);
                  throw new IllegalStateException("in the middle");
                }))
        .hasMessage("in the middle");

    roundTrip(random(1000, 1), arena.allocate(1000));
    buffer.free(stream);
  }

  @Test
  void threadsWithStreamsOfTheirOwnDoNotDisturbEachOther() throws Exception {
    try (var threads = Executors.newFixedThreadPool(4)) {
      var results =
          threads.invokeAll(
              LongStream.range(0, 4)
                  .<Callable<Boolean>>mapToObj(t -> () -> copyManyTimes(t))
                  .toList());
      for (var result : results) {
        assertThat(result.get()).isTrue();
      }
    }
  }

  private boolean copyManyTimes(long seed) {
    device.use();
    var random = new Random(seed);
    try (var own = CudaStream.create(0);
        var memory = Arena.ofConfined()) {
      for (int round = 0; round < 100; round++) {
        long size = 1L + random.nextInt(100_000);
        MemorySegment source = random(memory.allocate(size), random.nextLong());
        MemorySegment target = memory.allocate(size);
        DeviceBuffer buffer = pool.allocate(size, own);
        own.copyToDevice(buffer, 0, source, size);
        own.copyToHost(target, buffer, 0, size);
        buffer.free(own);
        own.synchronize();
        assertSame(target, source);
      }
    }
    return true;
  }

  @Test
  void anotherProcessReadsAndWritesSharedMemory() throws Exception {
    long size = largestBytes();
    MemorySegment source = random(size, 1);
    MemorySegment target = arena.allocate(size);
    try (var memory = DeviceMemory.allocate(device, size);
        var peer = startPeer()) {
      stream.copyToDevice(memory.buffer(), 0, source, size);
      stream.synchronize();
      peer.send(HexFormat.of().formatHex(CudaIpc.exportMemory(memory)));
      peer.send(Long.toString(size));

      assertThat(peer.receive()).isEqualTo(IpcPeer.checksum(source));
      assertThat(peer.receive()).isEqualTo("filled");
      stream.copyToHost(target, memory.buffer(), 0, size);
      stream.synchronize();
      assertSame(target, arena.allocate(size).fill(IpcPeer.FILL));

      peer.send("close");
      assertThat(peer.receive()).isEqualTo("closed");
    }
  }
}
