package io.nereid.server.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.nereid.error.InferenceException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Checked leases, shared leases and the arena allocator. */
class LeasesTest {
  @Test
  void aCheckedLeaseCannotBeReadAfterItsClose() {
    var pool = new CheckedBufferPool();
    Lease lease = pool.lease(8);
    MemorySegment segment = lease.segment();
    segment.set(ValueLayout.JAVA_LONG, 0, 1);
    lease.close();

    assertThatIllegalStateException().isThrownBy(() -> segment.get(ValueLayout.JAVA_LONG, 0));
    assertThatIllegalStateException().isThrownBy(lease::close);
    assertThat(pool.outstanding()).isZero();
    assertThat(pool.heldBytes()).isZero();
  }

  @Test
  void aCheckedLeaseHoldsNoZerosAndCountsUntilItsClose() {
    var pool = new CheckedBufferPool();
    try (Lease lease = pool.lease(3)) {
      assertThat(lease.segment().toArray(ValueLayout.JAVA_BYTE)).doesNotContain(0);
      assertThat(lease.segment().byteSize()).isEqualTo(3);
      assertThat(lease.segment().address() % BufferPool.ALIGNMENT).isZero();
      assertThat(pool.outstanding()).isEqualTo(1);
      assertThat(pool.heldBytes()).isEqualTo(3);
    }
    assertThat(pool.outstanding()).isZero();
  }

  @Test
  void aSharedLeaseIsReleasedByItsLastHolder() {
    var released = new AtomicInteger();
    var shared = new SharedLease(released::incrementAndGet);
    shared.retain();
    shared.retain();

    shared.release();
    shared.release();
    assertThat(released).hasValue(0);
    shared.release();

    assertThat(released).hasValue(1);
    assertThatIllegalStateException().isThrownBy(shared::release);
    assertThat(released).hasValue(1);
  }

  @Test
  void theAllocatorFreesSingleSegmentsAndOnlyItsOwn() {
    var allocator = new ArenaAllocator();
    MemorySegment one = allocator.allocate(100);
    MemorySegment other = allocator.allocate(100);

    allocator.free(one);

    other.fill((byte) 1);
    assertThatIllegalStateException().isThrownBy(() -> one.fill((byte) 1));
    assertThatIllegalStateException().isThrownBy(() -> allocator.free(one));
    allocator.free(other);
  }

  @Test
  void failsWhenTheSystemHasNoMemory() {
    var allocator = new ArenaAllocator();

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> allocator.allocate(1L << 62))
        .withMessageStartingWith("no native memory left for 4611686018427387904 bytes");
  }
}
