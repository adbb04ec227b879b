package io.nereid.tensorrt.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Streams against the double of libcudart. */
@UsesDoubles
final class CudaStreamDoubleTest {
  private final CudartDouble cuda;

  CudaStreamDoubleTest(CudartDouble cuda) {
    this.cuda = cuda;
  }

  @Test
  void copiesToTheDeviceAndBack() {
    try (var gpu = new DeviceUnderTest()) {
      DeviceBuffer buffer = gpu.upload(1, 2, 3, 4);

      assertThat(gpu.download(buffer)).containsExactly(1, 2, 3, 4);
      buffer.free(gpu.stream);
    }
  }

  @Test
  void copiesAPartOfABufferToAndFromAnOffset() {
    try (var gpu = new DeviceUnderTest()) {
      DeviceBuffer buffer = gpu.upload(1, 2, 3, 4);
      MemorySegment part = gpu.room(2);

      gpu.stream.copyToDevice(buffer, 8, gpu.values(7), 4);
      gpu.stream.copyToHost(part, buffer, 4, 8);
      gpu.stream.synchronize();

      assertThat(DeviceUnderTest.ints(part)).containsExactly(2, 7);
      buffer.free(gpu.stream);
    }
  }

  @Test
  void copiesBetweenBuffers() {
    try (var gpu = new DeviceUnderTest()) {
      DeviceBuffer from = gpu.upload(1, 2, 3);
      DeviceBuffer to = gpu.upload(7, 8, 9);

      gpu.stream.copyOnDevice(to, 4, from, 8, 4);

      assertThat(gpu.download(to)).containsExactly(7, 3, 9);
      from.free(gpu.stream);
      to.free(gpu.stream);
    }
  }

  @Test
  void fillsAPartOfABuffer() {
    try (var gpu = new DeviceUnderTest()) {
      DeviceBuffer buffer = gpu.upload(1, 2, 3);

      gpu.stream.fill(buffer, 4, 4, (byte) -1);

      assertThat(gpu.download(buffer)).containsExactly(1, -1, 3);
      buffer.free(gpu.stream);
    }
  }

  @Test
  void enqueuesNothingForNoBytes() {
    try (var gpu = new DeviceUnderTest()) {
      DeviceBuffer empty = gpu.pool.allocate(0, gpu.stream);

      gpu.stream.copyToDevice(empty, 0, gpu.room(0), 0);
      gpu.stream.copyToHost(gpu.room(0), empty, 0, 0);
      gpu.stream.fill(empty, 0, 0, (byte) 0);

      assertThat(empty.byteSize()).isZero();
      assertThat(empty.address().address()).isNotZero();
      assertThat(cuda.calls("cudaMemcpyAsync")).isZero();
      assertThat(cuda.calls("cudaMemsetAsync")).isZero();
      empty.free(gpu.stream);
    }
  }

  @Test
  void refusesBytesOutsideABufferOrASegmentBeforeTheyReachCuda() {
    try (var gpu = new DeviceUnderTest()) {
      DeviceBuffer buffer = gpu.pool.allocate(16, gpu.stream);

      assertOutOfBounds(() -> gpu.stream.copyToDevice(buffer, 4, gpu.room(4), 16));
      assertOutOfBounds(() -> gpu.stream.copyToDevice(buffer, -4, gpu.room(4), 4));
      assertOutOfBounds(() -> gpu.stream.copyToDevice(buffer, 0, gpu.room(1), 8));
      assertOutOfBounds(() -> gpu.stream.copyToHost(gpu.room(8), buffer, 0, 17));
      assertOutOfBounds(() -> gpu.stream.copyToHost(gpu.room(1), buffer, 0, 8));
      assertOutOfBounds(() -> gpu.stream.copyOnDevice(buffer, 0, buffer, Long.MAX_VALUE, 8));
      assertOutOfBounds(() -> gpu.stream.fill(buffer, 16, 1, (byte) 0));

      assertThat(cuda.calls("cudaMemcpyAsync")).isZero();
      assertThat(cuda.calls("cudaMemsetAsync")).isZero();
      buffer.free(gpu.stream);
    }
  }

  private static void assertOutOfBounds(ThrowingCallable call) {
    assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(call);
  }

  @Test
  void refusesMemoryOnTheJavaHeap() {
    try (var gpu = new DeviceUnderTest()) {
      DeviceBuffer buffer = gpu.pool.allocate(16, gpu.stream);
      MemorySegment heap = MemorySegment.ofArray(new int[4]);

      assertThatIllegalArgumentException()
          .isThrownBy(() -> gpu.stream.copyToDevice(buffer, 0, heap, 16));
      buffer.free(gpu.stream);
    }
  }

  @Test
  void waitsForItsWorkThoughItsDeviceIsSaidToHaveFailed() {
    int illegalAddress = 700;
    var gpu = new DeviceUnderTest(1);
    MemorySegment copy = gpu.room(2);
    DeviceBuffer buffer = gpu.upload(1, 2);
    gpu.stream.copyToHost(copy, buffer, 0, 8);
    buffer.free(gpu.stream);
    CudaDevice.of(0).use();
    cuda.fail("cudaSetDevice", 0, 1, illegalAddress); // of device 0

    assertThatExceptionOfType(CudaException.class).isThrownBy(gpu.device::use);
    assertThatExceptionOfType(CudaException.class)
        .isThrownBy(gpu.stream::synchronize)
        .withMessageContaining("cudaSetDevice");

    assertThat(DeviceUnderTest.ints(copy)).containsExactly(1, 2);
    gpu.close();
  }

  @Test
  void isIdleOnceAllOfItsWorkIsDone() {
    try (var gpu = new DeviceUnderTest()) {
      DeviceBuffer buffer = gpu.upload(1);

      assertThat(gpu.stream.isIdle()).isFalse();
      gpu.stream.synchronize();
      assertThat(gpu.stream.isIdle()).isTrue();
      buffer.free(gpu.stream);
    }
  }

  @Test
  void leavesNoErrorBehindWhenWorkIsNotDone() {
    cuda.setOperationsPerQuery(0);
    try (var gpu = new DeviceUnderTest();
        var event = CudaEvent.create(true, false)) {
      DeviceBuffer buffer = gpu.upload(1);
      event.record(gpu.stream);

      assertThat(gpu.stream.isIdle()).isFalse();
      assertThat(cuda.lastError()).isZero();
      assertThat(event.isComplete()).isFalse();
      assertThat(cuda.lastError()).isZero();
      buffer.free(gpu.stream);
    }
  }

  @Test
  void waitsForAnEventOfAnotherStream() {
    try (var gpu = new DeviceUnderTest();
        var event = CudaEvent.create(false, false);
        var other = CudaStream.create(gpu.device.greatestStreamPriority())) {
      DeviceBuffer buffer = gpu.upload(1, 2);
      MemorySegment target = gpu.room(2);

      event.record(gpu.stream);
      other.await(event);
      other.copyToHost(target, buffer, 0, 8);
      other.synchronize();

      assertThat(DeviceUnderTest.ints(target)).containsExactly(1, 2);
      buffer.free(gpu.stream);
    }
  }

  @Test
  void doesNotWaitForAnEventThatWasNeverRecorded() {
    try (var gpu = new DeviceUnderTest();
        var event = CudaEvent.create(false, false)) {
      gpu.stream.await(event);

      gpu.stream.synchronize();
      assertThat(event.isComplete()).isTrue();
    }
  }

  @Test
  void waitsForTheRecordThatWasTheLastOneWhenItWasToldTo() {
    try (var gpu = new DeviceUnderTest();
        var event = CudaEvent.create(false, false);
        var second = CudaStream.create(0);
        var other = CudaStream.create(0)) {
      DeviceBuffer buffer = gpu.upload(5);
      MemorySegment target = gpu.room(1);

      event.record(gpu.stream);
      other.await(event);
      other.copyToHost(target, buffer, 0, 4);
      event.record(second);
      event.synchronize();
      other.synchronize();

      assertThat(target.get(ValueLayout.JAVA_INT, 0)).isEqualTo(5);
      buffer.free(gpu.stream);
    }
  }
}
