package io.nereid.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  @ParameterizedTest
  @CsvSource({"Linux,amd64", "Mac OS X,aarch64"})
  void theAllocatorFreesSingleSegmentsAndOnlyItsOwn(String system, String architecture) {
    var allocator = new ArenaAllocator(system, architecture);
    MemorySegment one = allocator.allocate(100);
    MemorySegment other = allocator.allocate(100);
    assertThat(one.byteSize()).isEqualTo(100);
    assertThat(one.address() % BufferPool.ALIGNMENT).isZero();
    one.fill((byte) 1);

    allocator.free(one);

    other.fill((byte) 1);
    assertThatIllegalStateException().isThrownBy(() -> one.fill((byte) 1));
    assertThatIllegalStateException().isThrownBy(() -> allocator.free(one));
    allocator.free(other);
  }

  @ParameterizedTest
  @CsvSource({"Linux,amd64", "Mac OS X,aarch64"})
  void failsWhenTheSystemHasNoMemory(String system, String architecture) {
    var allocator = new ArenaAllocator(system, architecture);

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> allocator.allocate(1L << 62))
        .withMessage("no native memory left for 4611686018427387904 bytes")
        .satisfies(failure -> {
          assertThat(failure.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
          assertThat(failure.retryAfter()).hasValue(Duration.ofSeconds(1));
        });
  }

  /** Memory that was only announced must cost nothing: 10 GiB, and hardly a page. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void memoryThatIsNotTouchedTakesNoMemoryOfTheSystem() throws IOException {
    var allocator = new ArenaAllocator();
    long before = residentPages();

    List<MemorySegment> untouched =
        Stream.generate(() -> allocator.allocate(1L << 28)).limit(40).toList();

    assertThat(residentPages() - before).isLessThan(100_000);
    untouched.forEach(allocator::free);
  }

  private static long residentPages() throws IOException {
    return Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ", 3)[1]);
  }
}
