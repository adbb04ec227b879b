package io.nereid.tensorrt.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Page-locked memory against the double of libcudart. */
@UsesDoubles
final class PinnedMemoryDoubleTest {
  private final CudartDouble cuda;
  private final PinnedMemory pinned = new PinnedMemory(CudaDevice.of(1));

  PinnedMemoryDoubleTest(CudartDouble cuda) {
    this.cuda = cuda;
  }

  @Test
  void allocatesAlignedMemoryThatAnyThreadCanUse() throws InterruptedException {
    MemorySegment memory = pinned.allocate(1000);

    assertThat(memory.byteSize()).isEqualTo(1000);
    assertThat(memory.address() % 64).isZero();
    var thread = new Thread(() -> memory.fill((byte) 1));
    thread.start();
    thread.join();
    assertThat(memory.get(ValueLayout.JAVA_BYTE, 999)).isEqualTo((byte) 1);
    pinned.free(memory);
  }

  @Test
  void leavesTheDeviceOfTheCallingThreadAlone() {
    CudaDevice.of(0).use();

    pinned.free(pinned.allocate(1));

    assertThat(CudaDevice.current().id()).isZero();
  }

  @Test
  void knowsItsOwnMemory() {
    List<MemorySegment> slabs = IntStream.range(0, 9).mapToObj(_ -> pinned.allocate(100)).toList();

    for (MemorySegment slab : slabs) {
      assertThat(pinned.contains(slab)).isTrue();
      assertThat(pinned.contains(slab.asSlice(99))).isTrue();
      assertThat(pinned.contains(slab.asSlice(100))).isTrue();
      assertThat(pinned.contains(slab.reinterpret(101))).isFalse();
    }
    pinned.free(slabs.get(4));
    assertThat(pinned.contains(slabs.get(4))).isFalse();
    assertThat(pinned.contains(slabs.get(3))).isTrue();
    assertThat(pinned.contains(slabs.get(5))).isTrue();
    assertThat(pinned.contains(MemorySegment.ofArray(new byte[4]))).isFalse();
    assertThat(pinned.contains(MemorySegment.ofAddress(-1).reinterpret(1))).isFalse();
    slabs.stream().filter(pinned::contains).forEach(pinned::free);
  }

  @Test
  void freesOnlyWhatItHasAllocated() {
    MemorySegment memory = pinned.allocate(100);

    assertThatIllegalArgumentException().isThrownBy(() -> pinned.free(memory.asSlice(8)));
    pinned.free(memory);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> pinned.free(memory))
        .withMessage("not allocated here, or freed before");
    assertThat(cuda.calls("cudaFreeHost")).isEqualTo(1);
  }

  @Test
  void freesThoughCudaReportsAnError() {
    MemorySegment first = pinned.allocate(100);
    MemorySegment second = pinned.allocate(100);
    cuda.failNext("cudaFreeHost", CudartDouble.ILLEGAL_ADDRESS);

    pinned.free(first);
    pinned.free(second);

    assertThat(cuda.live("page-locked allocations")).isZero();
    assertThat(pinned.device().failure()).as("maybe of another device").isNull();
  }

  @Test
  void isUnavailableWhereMemoryCannotBePageLocked() {
    cuda.failNext("cudaHostAlloc", CudartDouble.OUT_OF_MEMORY);

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> pinned.allocate(4096))
        .withMessage(
            "cannot allocate 4096 bytes of page-locked memory: cudaHostAlloc failed on device 1:"
                + " cudaErrorMemoryAllocation (2): out of memory")
        .matches(refused -> refused.code() == StatusCode.RESOURCE_EXHAUSTED);
  }
}
