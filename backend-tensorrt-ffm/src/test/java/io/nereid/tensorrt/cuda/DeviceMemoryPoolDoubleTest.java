package io.nereid.tensorrt.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.UsesDoubles;
import org.junit.jupiter.api.Test;

/** Pools of device memory against the double of libcudart. */
@UsesDoubles
final class DeviceMemoryPoolDoubleTest {
  private static final int KIB = 1024;

  private final CudartDouble cuda;

  DeviceMemoryPoolDoubleTest(CudartDouble cuda) {
    this.cuda = cuda;
  }

  @Test
  void countsWhatIsReservedAndUsed() {
    try (var gpu = new DeviceUnderTest()) {
      assertThat(gpu.pool.reservedBytes()).isZero();

      DeviceBuffer buffer = gpu.pool.allocate(100 * KIB, gpu.stream);

      assertThat(gpu.pool.usedBytes()).isEqualTo(100 * KIB);
      assertThat(gpu.pool.reservedBytes()).isGreaterThanOrEqualTo(100 * KIB);
      buffer.free(gpu.stream);
    }
  }

  @Test
  void keepsFreedMemoryReserved() {
    try (var gpu = new DeviceUnderTest()) {
      gpu.pool.allocate(100 * KIB, gpu.stream).free(gpu.stream);
      gpu.stream.synchronize();

      assertThat(gpu.pool.usedBytes()).isZero();
      assertThat(gpu.pool.reservedBytes()).isGreaterThanOrEqualTo(100 * KIB);
    }
  }

  @Test
  void failsWhereTheDeviceHasNotEnoughMemory() {
    try (var gpu = new DeviceUnderTest()) {
      cuda.setMemory(0, 1024 * KIB);

      assertThatExceptionOfType(CudaException.class)
          .isThrownBy(() -> gpu.pool.allocate(2048 * KIB, gpu.stream))
          .withMessage(
              "cudaMallocFromPoolAsync failed on device 0: cudaErrorMemoryAllocation (2): out of"
                  + " memory")
          .matches(CudaException::isOutOfMemory)
          .matches(failed -> !failed.isSticky());

      gpu.pool.allocate(512 * KIB, gpu.stream).free(gpu.stream);
    }
  }

  @Test
  void reusesReservedMemory() {
    try (var gpu = new DeviceUnderTest()) {
      cuda.setMemory(0, 1024 * KIB);

      for (int i = 0; i < 100; i++) {
        gpu.pool.allocate(600 * KIB, gpu.stream).free(gpu.stream);
        gpu.stream.synchronize();
      }
      assertThat(gpu.pool.reservedBytes()).isLessThanOrEqualTo(1024 * KIB);
    }
  }

  @Test
  void freesABufferInTheOrderOfTheStream() {
    try (var gpu = new DeviceUnderTest()) {
      DeviceBuffer buffer = gpu.upload(1, 2);
      var target = gpu.room(2);
      gpu.stream.copyToHost(target, buffer, 0, 8);
      buffer.free(gpu.stream);

      assertThat(cuda.live("device allocations")).isEqualTo(1);
      gpu.stream.synchronize();
      assertThat(cuda.live("device allocations")).isZero();
      assertThat(DeviceUnderTest.ints(target)).containsExactly(1, 2);
    }
  }

  @Test
  void freesABufferOnce() {
    try (var gpu = new DeviceUnderTest()) {
      DeviceBuffer buffer = gpu.pool.allocate(16, gpu.stream);
      buffer.free(gpu.stream);
      buffer.free(gpu.stream);

      assertThat(cuda.calls("cudaFreeAsync")).isEqualTo(1);
      assertThatIllegalStateException()
          .isThrownBy(buffer::address)
          .withMessage("device buffer is closed");
    }
  }

  @Test
  void doesNotFreeABufferThatIsBorrowed() {
    try (var gpu = new DeviceUnderTest();
        var memory = DeviceMemory.allocate(gpu.device, 16)) {
      assertThatIllegalStateException()
          .isThrownBy(() -> memory.buffer().free(gpu.stream))
          .withMessage("a borrowed device buffer is freed by its owner");
    }
  }

  @Test
  void allocatesOnItsOwnDevice() {
    try (var gpu = new DeviceUnderTest(1)) {
      DeviceBuffer buffer = gpu.upload(3);

      assertThat(buffer.device().id()).isEqualTo(1);
      assertThat(gpu.download(buffer)).containsExactly(3);
      buffer.free(gpu.stream);
    }
  }
}
