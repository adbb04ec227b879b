package io.nereid.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.engine.testing.Faults;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.HostAllocator;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SlabPoolTest {
  private static final long LIMIT = 256L << 20;

  private final CountingAllocator allocator = new CountingAllocator();
  private final SlabPool pool = new SlabPool(allocator, LIMIT);

  @AfterEach
  void closeThePool() {
    pool.close();
    assertThat(allocator.outstanding()).as("segments that the pool kept after its close").isZero();
    assertThat(pool.heldBytes()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      longs = {0, 1, 63, 64, 255, 256, 257, 320, 321, 65_536, 1_048_577, 67_108_864, 67_108_865})
  void aLeaseHasTheRequestedSizeAndStartsAtACacheLine(long byteSize) {
    try (Lease lease = pool.lease(byteSize)) {
      MemorySegment segment = lease.segment();
      assertThat(segment.byteSize()).isEqualTo(byteSize);
      assertThat(segment.address() % BufferPool.ALIGNMENT).isZero();
      segment.fill((byte) 1); // all of it is mapped
    }
  }

  @Test
  void aReturnedBlockIsLeasedAgain() {
    long address;
    try (Lease first = pool.lease(1000)) {
      address = first.segment().address();
    }
    try (Lease second = pool.lease(900)) {
      assertThat(second.segment().address()).isEqualTo(address);
      assertThat(second.segment().byteSize()).isEqualTo(900);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 70_000_000})
  void anErrorOfTheAllocatorTakesNothingOfTheBudget(long byteSize) {
    var faults = new Faults();
    var failing =
        faults.at("allocator", HostAllocator.class, allocator, Set.of("allocate", "free"));
    var other = new SlabPool(failing, LIMIT);
    faults.arm("allocator", 1, OutOfMemoryError::new);
    assertThatThrownBy(() -> other.lease(byteSize)).isInstanceOf(OutOfMemoryError.class);
    assertThat(other.heldBytes()).isZero();
    assertThat(other.outstanding()).isZero();

    Lease lease = other.lease(byteSize);
    Lease second = other.lease(byteSize);
    faults.arm("allocator", 1, StackOverflowError::new); // of free()
    assertThatThrownBy(
            () -> {
              lease.close();
              second.close();
              other.close();
            })
        .isInstanceOf(StackOverflowError.class);
    faults.disarm();
    if (other.outstanding() > 0) {
      second.close();
    }
    assertThat(other.heldBytes()).isZero();
    allocator.freed.incrementAndGet(); // of which the fake has kept the memory
  }

  @Test
  void aSteadyLoadAllocatesNothing() {
    leaseAndClose();
    long slabs = allocator.allocated.get();

    for (int i = 0; i < 1000; i++) {
      leaseAndClose();
    }

    assertThat(allocator.allocated.get()).isEqualTo(slabs);
  }

  private List<Lease> lease(int count, long byteSize) {
    return IntStream.range(0, count)
        .mapToObj(_ -> pool.lease(byteSize))
        .collect(Collectors.toCollection(ArrayList::new));
  }

  private void leaseAndClose() {
    try (Lease small = pool.lease(100);
        Lease medium = pool.lease(100_000);
        Lease large = pool.lease(10 << 20)) {
      assertThat(pool.outstanding()).isEqualTo(3);
      assertThat(List.of(small, medium, large)).doesNotContainNull();
    }
    assertThat(pool.outstanding()).isZero();
  }

  @Test
  void leasesOfOneSizeDoNotOverlap() {
    List<Lease> leases = new ArrayList<>();
    for (int i = 0; i < 5000; i++) { // more than a slab holds
      Lease lease = pool.lease(300);
      lease.segment().fill((byte) i);
      leases.add(lease);
    }
    for (int i = 0; i < leases.size(); i++) {
      for (byte content : leases.get(i).segment().toArray(ValueLayout.JAVA_BYTE)) {
        assertThat(content).isEqualTo((byte) i);
      }
    }
    leases.forEach(Lease::close);
  }

  @Test
  void closingALeaseTwiceThrowsAndReturnsItsBlockOnce() {
    Lease lease = pool.lease(1000);
    lease.close();

    assertThatIllegalStateException().isThrownBy(lease::close).withMessageContaining("1000 bytes");

    assertThat(pool.outstanding()).isZero();
    try (Lease one = pool.lease(1000);
        Lease other = pool.lease(1000)) {
      assertThat(one.segment().address()).isNotEqualTo(other.segment().address());
    }
  }

  @Test
  void blocksAboveTheLargestClassAreFreedAtOnce() {
    Lease lease = pool.lease(SizeClasses.LARGEST + 1);
    assertThat(pool.heldBytes()).isEqualTo(SizeClasses.LARGEST + 1);
    lease.close();

    assertThat(pool.heldBytes()).isZero();
    assertThat(allocator.outstanding()).isZero();
    assertThatIllegalStateException().isThrownBy(lease::close);
    assertThat(allocator.freed.get()).isEqualTo(1);
  }

  @Test
  void anExhaustedPoolFailsAndRecovers() {
    List<Lease> leases = lease(3, 80 << 20);

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> pool.lease(80 << 20))
        .withMessage(
            "tensor memory is exhausted: %d bytes wanted, %d of %d in use"
                .formatted(80 << 20, 240 << 20, LIMIT))
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED));

    assertThat(pool.outstanding()).isEqualTo(3);
    leases.removeLast().close();
    leases.add(pool.lease(80 << 20));
    leases.forEach(Lease::close);
    assertThat(pool.outstanding()).isZero();
  }

  @Test
  void releasesFreeBlocksOfOtherSizesAtTheLimit() {
    List<Lease> announced = lease(4, 64 << 20); // all of the limit
    announced.forEach(Lease::close);
    assertThat(pool.heldBytes()).isEqualTo(LIMIT);

    try (Lease small = pool.lease(100);
        Lease medium = pool.lease(10 << 20);
        Lease large = pool.lease(80 << 20)) {
      assertThat(List.of(small, medium, large)).allSatisfy(lease -> lease.segment().fill((byte) 1));
      assertThat(pool.heldBytes()).isLessThanOrEqualTo(LIMIT);
      assertThat(allocator.freed.get()).as("only as many as needed").isEqualTo(2);
    }
  }

  /** Bodies of 66 MB that ended without their requests leave the pool to every other size. */
  @Test
  void aPoolFullOfFreeBlocksOfOneSizeRefusesNoOtherSize() {
    List<Lease> announced = new ArrayList<>();
    while (pool.refusedLeases() == 0) {
      try {
        announced.add(pool.lease(66_000_000));
      } catch (InferenceException exhausted) {
        assertThat(pool.heldBytes()).isEqualTo(LIMIT);
      }
    }
    announced.forEach(Lease::close);
    assertThat(pool.heldBytes()).isEqualTo(LIMIT);
    assertThat(pool.freeBytes()).isEqualTo(LIMIT);

    for (long byteSize = 1; byteSize <= LIMIT; byteSize *= 4) {
      try (Lease other = pool.lease(byteSize)) {
        assertThat(other.segment().byteSize()).isEqualTo(byteSize);
      }
    }
    assertThat(pool.refusedLeases()).isEqualTo(1);
  }

  @Test
  void whatIsFreeAndWhatIsLeasedAddUpToWhatIsHeld() {
    Lease small = pool.lease(1000);
    Lease large = pool.lease(3 << 20);
    pool.lease(5 << 20).close();
    assertThat(pool.heldBytes() - pool.freeBytes()).isEqualTo(1024 + (3 << 20));

    small.close();
    large.close();
    assertThat(pool.freeBytes()).isEqualTo(pool.heldBytes());
    assertThat(pool.refusedLeases()).isZero();
  }

  @Test
  void trimReleasesManyIdleSlabsOfOneSize() {
    List<Lease> leases = lease(25, 10 << 20);
    leases.forEach(Lease::close);
    pool.trim();

    pool.trim();

    assertThat(pool.heldBytes()).isZero();
  }

  @Test
  void releasesSmallBlocksAtTheLimitOnlyIfTheirWholeSlabIsFree() {
    List<Lease> leases = new ArrayList<>();
    for (long held = 0; held < LIMIT; held += 1000) {
      try {
        leases.add(pool.lease(1000));
      } catch (InferenceException exhausted) {
        break;
      }
    }
    Lease kept = leases.removeLast(); // pins its slab
    kept.segment().fill((byte) 7);
    leases.forEach(Lease::close);

    List<Lease> others = lease(255, 1 << 20);
    others.forEach(lease -> lease.segment().fill((byte) 1));
    assertThatExceptionOfType(InferenceException.class).isThrownBy(() -> pool.lease(1 << 20));
    assertThat(kept.segment().toArray(ValueLayout.JAVA_BYTE)).containsOnly(7);

    others.forEach(Lease::close);
    kept.close();
    assertThat(pool.outstanding()).isZero();
  }

  @Test
  void releasesFreeBlocksWhenTheAllocatorHasNoMemoryLeft() {
    allocator.maxOutstanding = 1;
    pool.lease(2 << 20).close();
    try (Lease other = pool.lease(3 << 20)) {
      assertThat(other.segment().byteSize()).isEqualTo(3 << 20);
      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(() -> pool.lease(2 << 20))
          .withMessage("no pinned memory");
    }
  }

  @Test
  void trimReleasesSlabsThatNoLeaseWasClosedInSinceTheTrimBefore() {
    pool.lease(10 << 20).close();
    pool.lease(300).close();
    Lease held = pool.lease(1000);
    pool.trim();
    assertThat(allocator.outstanding()).as("all were in use before the first trim").isEqualTo(3);

    pool.lease(300).close();
    pool.trim();
    assertThat(allocator.outstanding()).as("without the large one").isEqualTo(2);

    pool.trim();
    assertThat(allocator.outstanding()).as("the slab of the outstanding lease").isEqualTo(1);
    held.segment().fill((byte) 1);
    held.close();
    pool.trim();
    assertThat(allocator.outstanding()).isEqualTo(1);

    pool.trim();
    assertThat(allocator.outstanding()).isZero();
    assertThat(pool.heldBytes()).isZero();
    pool.lease(1000).close();
  }

  @ParameterizedTest
  @ValueSource(longs = {100, 1000, 2 << 20, 300 << 18})
  void closingDoesNotFreeMemoryUnderALease(long byteSize) {
    Lease late = pool.lease(byteSize);
    Lease sibling = pool.lease(byteSize);
    sibling.close();

    pool.close();

    assertThat(allocator.outstanding()).isOne();
    late.segment().fill((byte) 1); // its memory is still there
    late.close();
    assertThat(allocator.outstanding()).isZero();
    assertThat(pool.heldBytes()).isZero();
  }

  @Test
  void aClosedPoolLeasesNothing() {
    pool.close();

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> pool.lease(1))
        .withMessageContaining("closed")
        .extracting(InferenceException::code)
        .isEqualTo(StatusCode.UNAVAILABLE);
  }

  @ParameterizedTest
  @ValueSource(longs = {LIMIT + 1, Long.MAX_VALUE - 1000, Long.MAX_VALUE})
  void aSizeAboveTheLimitFailsAsExhaustedWithoutAnAllocation(long byteSize) {
    try (Lease leased = pool.lease(1000)) {
      long held = pool.heldBytes();
      long allocated = allocator.allocated.get();

      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(() -> pool.lease(byteSize))
          .withMessageStartingWith("tensor memory is exhausted: " + byteSize + " bytes wanted");

      assertThat(pool.heldBytes()).isEqualTo(held);
      assertThat(allocator.allocated.get()).isEqualTo(allocated);
      assertThat(leased.segment().byteSize()).isEqualTo(1000);
    }
  }

  @Test
  void rejectsANegativeSize() {
    assertThatIllegalArgumentException().isThrownBy(() -> pool.lease(-1));
  }

  @Test
  void aFailedAllocationLeavesNothingHeld() {
    allocator.maxOutstanding = 0;
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> pool.lease(10))
        .withMessage("no pinned memory");
    assertThat(pool.heldBytes()).isZero();
    assertThat(pool.outstanding()).isZero();
    assertThat(allocator.freed.get()).as("nothing was allocated").isZero();
  }
}
