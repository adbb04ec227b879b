package io.nereid.tensorrt.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.nereid.tensorrt.cuda.PinnedPool.Buffer;
import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Pools of page-locked buffers against the double of libcudart. */
@UsesDoubles
final class PinnedPoolDoubleTest {
  private static final long KIB = 1024;

  private final CudartDouble cuda;
  private final PinnedMemory memory = new PinnedMemory(CudaDevice.of(0));

  PinnedPoolDoubleTest(CudartDouble cuda) {
    this.cuda = cuda;
  }

  private static Buffer lease(PinnedPool pool, long byteSize) {
    return Objects.requireNonNull(pool.tryLease(byteSize));
  }

  @Test
  void leasesPageLockedBuffersOfAtLeastTheSize() {
    try (var pool = new PinnedPool(memory, 64 * KIB);
        var none = lease(pool, 0);
        var small = lease(pool, 4 * KIB);
        var large = lease(pool, 4 * KIB + 1)) {
      assertThat(none.memory().byteSize()).isEqualTo(4 * KIB);
      assertThat(small.memory().byteSize()).isEqualTo(4 * KIB);
      assertThat(large.memory().byteSize()).isEqualTo(8 * KIB);
      assertThat(memory.contains(large.memory())).isTrue();
      assertThat(pool.reservedBytes()).isEqualTo(16 * KIB);
    }
  }

  @Test
  void leasesAClosedBufferAgain() {
    try (var pool = new PinnedPool(memory, 64 * KIB)) {
      var first = lease(pool, 5 * KIB);
      first.close();

      try (var second = lease(pool, 8 * KIB)) {
        assertThat(second).isSameAs(first);
        assertThat(cuda.calls("cudaHostAlloc")).isEqualTo(1);
      }
    }
  }

  @Test
  void leasesNoBufferAboveTheLimit() {
    try (var pool = new PinnedPool(memory, 12 * KIB);
        var _ = lease(pool, 8 * KIB)) {
      assertThat(pool.tryLease(8 * KIB)).isNull();
      assertThat(pool.tryLease(Long.MAX_VALUE)).isNull();
      lease(pool, 4 * KIB).close();
    }
  }

  @Test
  void freesIdleBuffersOfOtherSizesToStayWithinTheLimit() {
    try (var pool = new PinnedPool(memory, 16 * KIB)) {
      lease(pool, 16 * KIB).close();

      try (var _ = lease(pool, 4 * KIB)) {
        assertThat(pool.reservedBytes()).isEqualTo(4 * KIB);
        assertThat(cuda.live("page-locked bytes")).isEqualTo(4 * KIB);
      }
    }
  }

  @Test
  void keepsIdleBuffersIfFreeingThemWouldNotBeEnough() {
    try (var pool = new PinnedPool(memory, 16 * KIB);
        var _ = lease(pool, 8 * KIB)) {
      lease(pool, 4 * KIB).close();

      assertThat(pool.tryLease(16 * KIB)).isNull();
      assertThat(pool.reservedBytes()).isEqualTo(12 * KIB);
      assertThat(cuda.calls("cudaFreeHost")).isZero();
    }
  }

  @Test
  void freesALeasedBufferWhenItIsClosedAfterThePool() {
    var pool = new PinnedPool(memory, 16 * KIB);
    var leased = lease(pool, 1);
    pool.close();

    assertThat(cuda.live("page-locked allocations")).isEqualTo(1);
    leased.close();
    leased.close();
    assertThat(cuda.live("page-locked allocations")).isZero();
    assertThatIllegalStateException().isThrownBy(() -> pool.tryLease(1));
    assertThatIllegalStateException()
        .isThrownBy(leased::memory)
        .withMessage("page-locked buffer is closed");
  }

  @Test
  void keepsItsLimitWhenCudaCannotAllocate() {
    try (var pool = new PinnedPool(memory, 4 * KIB)) {
      cuda.failNext("cudaHostAlloc", CudartDouble.OUT_OF_MEMORY);

      assertThatExceptionOfType(CudaException.class).isThrownBy(() -> pool.tryLease(1));
      assertThat(pool.reservedBytes()).isZero();
      lease(pool, 1).close();
    }
  }

  @Test
  void freesAllIdleBuffersThoughOneFreeFails() {
    var pool = new PinnedPool(memory, 64 * KIB);
    try (var _ = lease(pool, 1);
        var _ = lease(pool, 1);
        var _ = lease(pool, 8 * KIB)) {
      assertThat(cuda.live("page-locked allocations")).isEqualTo(3);
    }
    cuda.fail("cudaFreeHost", 0, 2, 1);

    assertThatExceptionOfType(CudaException.class)
        .isThrownBy(pool::close)
        .matches(failed -> failed.getSuppressed().length == 1);
    assertThat(cuda.live("page-locked allocations")).isZero();
  }
}
