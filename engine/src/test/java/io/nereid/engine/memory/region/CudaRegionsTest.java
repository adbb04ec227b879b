package io.nereid.engine.memory.region;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.Lease;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.SharedDeviceMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Regions in memory of GPUs, which an opener of this test opens: a kilobyte for any handle. */
@EnabledOnOs(OS.LINUX)
class CudaRegionsTest {
  private static final byte[] HANDLE = new byte[64];
  private static final int SIZE = 1024;

  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final List<FakeMemory> opened = new ArrayList<>();
  private final SharedRegions regions = SharedRegions.open(4, (_, _, size) -> open(size));

  /** What the opener refuses with; null if it opens. */
  private @Nullable InferenceException refusal;

  private Optional<SharedDeviceMemory> open(long byteSize) {
    if (refusal != null) {
      throw refusal;
    }
    assertThat(byteSize).isNotNegative();
    var memory = new FakeMemory();
    opened.add(memory);
    return Optional.of(memory);
  }

  @AfterEach
  void close() {
    regions.close();
    assertThat(opened).allMatch(memory -> memory.closed == 1);
    assertThat(pool.outstanding()).isZero();
  }

  private static final class FakeMemory implements SharedDeviceMemory {
    final MemorySegment bytes = MemorySegment.ofArray(new byte[SIZE]);
    int closed;
    @Nullable InferenceException failure;

    @Override
    public void read(long offset, MemorySegment target) {
      if (failure != null) {
        throw failure;
      }
      target.copyFrom(bytes.asSlice(offset, target.byteSize()));
    }

    @Override
    public void write(long offset, MemorySegment source) {
      if (failure != null) {
        throw failure;
      }
      bytes.asSlice(offset).copyFrom(source);
    }

    @Override
    public void close() {
      closed++;
    }
  }

  private byte[] read(RegionSlice slice) {
    try (Lease lease = slice.read(pool)) {
      return lease.segment().toArray(ValueLayout.JAVA_BYTE);
    }
  }

  private static void write(RegionSlice slice, byte... bytes) {
    try (slice;
        var arena = Arena.ofConfined()) {
      slice.write(arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes));
    }
  }

  private static void assertFails(ThrowingCallable call, StatusCode code, String message) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(call)
        .withMessage(message)
        .matches(failure -> failure.code() == code, code.name());
  }

  @Test
  void copiesByTheOpenedMemory() {
    regions.registerCuda(ClientKey.LOCAL, "r", HANDLE, 1, SIZE);

    write(regions.slice("r", 1000, 24), (byte) 1, (byte) 2);

    assertThat(read(regions.slice("r", 999, 4))).containsExactly(0, 1, 2, 0);
    assertThat(read(regions.slice("r", 999, 0))).isEmpty();
    assertThat(regions.status(RegionKind.CUDA, "r"))
        .containsExactly(new RegionStatus.CudaMemory("r", 1, SIZE));
  }

  @Test
  void closesTheMemoryWithItsLastUser() {
    regions.registerCuda(ClientKey.LOCAL, "r", HANDLE, 0, SIZE);
    Lease input = regions.slice("r", 0, 4).read(pool);

    regions.unregister(RegionKind.SYSTEM, "");
    regions.unregister(RegionKind.SYSTEM, "r");
    assertThat(regions.slice("r", 0, 1)).satisfies(RegionSlice::close);
    regions.unregister(RegionKind.CUDA, "r");

    assertThat(opened.getFirst().closed).isZero();
    assertThat(regions.areInDeviceMemory()).isTrue();
    input.close();
    assertThat(opened.getFirst().closed).isEqualTo(1);
    assertThat(regions.areInDeviceMemory()).isFalse();
    assertThat(regions.status(RegionKind.CUDA, "")).isEmpty();
  }

  @Test
  void hasOneSpaceOfNamesForBothKinds() {
    regions.registerCuda(ClientKey.LOCAL, "r", HANDLE, 0, SIZE);

    assertFails(
        () -> regions.registerCuda(ClientKey.LOCAL, "r", HANDLE, 0, SIZE),
        StatusCode.ALREADY_EXISTS,
        "shared memory region 'r' already in manager");
    assertFails(
        () -> regions.register(ClientKey.LOCAL, "r", "/key", 0, SIZE),
        StatusCode.ALREADY_EXISTS,
        "shared memory region 'r' already in manager");
    assertFails(
        () -> regions.status(RegionKind.SYSTEM, "r"),
        StatusCode.NOT_FOUND,
        "The region named 'r' is registered as CUDA shared memory, not system shared memory");
    assertThat(opened).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"0, -1", "2147483648, 16", "-2147483649, 16"})
  void refusesSizesAndDevicesThatNoneHas(long device, long byteSize) {
    assertFails(
        () -> regions.registerCuda(ClientKey.LOCAL, "r", HANDLE, device, byteSize),
        StatusCode.INVALID_ARGUMENT,
        "failed to register shared memory region 'r': invalid args");
  }

  @Test
  void saysThatTheArgumentsAreInvalidOrWhyTheDeviceCannot() {
    refusal = InferenceException.invalid("65 bytes of memory that has 64");
    assertFails(
        () -> regions.registerCuda(ClientKey.LOCAL, "r", HANDLE, 0, SIZE),
        StatusCode.INVALID_ARGUMENT,
        "failed to register shared memory region 'r': invalid args");
    refusal = InferenceException.unavailable("the device has failed");
    assertFails(
        () -> regions.registerCuda(ClientKey.LOCAL, "r", HANDLE, 0, SIZE),
        StatusCode.UNAVAILABLE,
        "the device has failed");
    assertThat(regions.status(RegionKind.CUDA, "")).isEmpty();
  }

  @Test
  void namesTheRegionOfACopyThatFails() {
    regions.registerCuda(ClientKey.LOCAL, "r", HANDLE, 0, SIZE);
    opened.getFirst().failure = InferenceException.internal("out of order");

    assertFails(
        () -> read(regions.slice("r", 0, 1)),
        StatusCode.INTERNAL,
        "shared memory region 'r' can not be read: out of order");
    assertFails(
        () -> write(regions.slice("r", 0, 1), (byte) 1),
        StatusCode.INTERNAL,
        "shared memory region 'r' can not be written: out of order");
  }
}
