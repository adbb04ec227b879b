package io.nereid.tensorrt.doubles;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tensorrt.bindings.cudart.Cudart;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of the double of libcudart itself: the mistakes with memory that it finds. They call the
 * bindings, since the CUDA layer does not let most of these mistakes happen.
 */
@UsesDoubles
final class CudartDoubleMemoryTest {
  private static final int POISON = 0xCDCDCDCD;

  private final CudartDouble cuda;
  private final RawCuda raw;

  CudartDoubleMemoryTest(CudartDouble cuda) {
    this.cuda = cuda;
    this.raw = new RawCuda(cuda);
  }

  @AfterEach
  void close() {
    raw.close();
  }

  @Test
  void fillsNewMemoryAndFreedMemoryWithDifferentBytes() {
    var device = raw.malloc(4);
    var pinned = raw.hostAlloc(4);
    var values = List.of(device.reinterpret(4), pinned);
    assertThat(values).allSatisfy(v -> assertThat(v.get(JAVA_INT, 0)).isEqualTo(POISON));

    RawCuda.ok(Cudart.cudaFree(device));
    RawCuda.ok(Cudart.cudaFreeHost(pinned));

    assertThat(values).allSatisfy(v -> assertThat(v.get(JAVA_INT, 0)).isEqualTo(0xDDDDDDDD));
  }

  @Test
  void countsAPlantedLeak() {
    var check = new DoublesCheck(cuda);
    raw.malloc(100);
    raw.stream();

    assertThat(check.end())
        .containsExactly("device allocations: +1", "device bytes: +100", "streams: +1");
    assertThat(cuda.live("streams")).as("forgotten for the next test").isZero();
  }

  @Test
  void reportsAViolationInWords() {
    var check = new DoublesCheck(cuda);
    int _ = Cudart.cudaFree(MemorySegment.ofAddress(64));

    assertThat(check.end()).containsExactly("violation: cudaFree of 0x40, no device memory");
    cuda.forgetViolations();
  }

  @Test
  void findsTheUseOfFreedMemory() {
    var stream = raw.stream();
    var device = raw.malloc(16);
    RawCuda.ok(Cudart.cudaFree(device));

    assertThat(Cudart.cudaMemsetAsync(device, 0, 16, stream)).isEqualTo(RawCuda.INVALID_VALUE);
    assertThat(Cudart.cudaFree(device)).isEqualTo(RawCuda.INVALID_VALUE);
    raw.assertViolations("cudaMemsetAsync: 0x", "cudaFree of 0x");
    RawCuda.destroy(stream);
  }

  @Test
  void findsACopyBeyondTheEndOfDeviceMemory() {
    var stream = raw.stream();
    var device = raw.malloc(16);

    assertThat(
            Cudart.cudaMemcpyAsync(
                device, raw.ints(1, 2, 3, 4, 5), 20, RawCuda.HOST_TO_DEVICE, stream))
        .isEqualTo(RawCuda.INVALID_VALUE);
    assertThat(Cudart.cudaMemsetAsync(RawCuda.at(device, 8), 0, 9, stream))
        .isEqualTo(RawCuda.INVALID_VALUE);
    raw.assertViolations(
        "cudaMemcpyAsync: 20 bytes at offset 0 of 16 bytes of device memory",
        "cudaMemsetAsync: 9 bytes at offset 8 of 16 bytes of device memory");
    RawCuda.destroy(stream);
    RawCuda.ok(Cudart.cudaFree(device));
  }

  @Test
  void findsACopyInTheWrongDirection() {
    var stream = raw.stream();
    var device = raw.malloc(4);

    assertThat(Cudart.cudaMemcpyAsync(raw.ints(0), device, 4, RawCuda.HOST_TO_DEVICE, stream))
        .isEqualTo(RawCuda.INVALID_VALUE);
    assertThat(Cudart.cudaMemcpyAsync(device, raw.ints(0), 4, RawCuda.DEVICE_TO_HOST, stream))
        .isEqualTo(RawCuda.INVALID_VALUE);
    assertThat(cuda.violations()).hasSize(2);
    cuda.forgetViolations();
    RawCuda.destroy(stream);
    RawCuda.ok(Cudart.cudaFree(device));
  }

  @Test
  void findsWritesBesideAnAllocationAndAfterItsFree() {
    var first = raw.malloc(10);
    var second = raw.malloc(16);
    first.reinterpret(11).set(JAVA_BYTE, 10, (byte) 0);
    RawCuda.ok(Cudart.cudaFree(second));
    second.reinterpret(4).set(JAVA_INT, 0, 1);

    raw.assertViolations("bytes beside the 10 bytes", "16 freed bytes");
    first.reinterpret(11).set(JAVA_BYTE, 10, (byte) 0xAB);
    RawCuda.ok(Cudart.cudaFree(first));
  }

  @Test
  void findsMemoryThatIsFreedWhileACopyIsPending() {
    var stream = raw.stream();
    var device = raw.malloc(4);
    var pinned = raw.hostAlloc(4);
    RawCuda.ok(Cudart.cudaMemcpyAsync(device, pinned, 4, RawCuda.HOST_TO_DEVICE, stream));

    RawCuda.ok(Cudart.cudaFreeHost(pinned));
    RawCuda.ok(Cudart.cudaStreamSynchronize(stream));

    raw.assertViolations(
        "page-locked memory is freed while a copy is pending", "a copy runs on 4 bytes at 0x");
    RawCuda.destroy(stream);
    RawCuda.ok(Cudart.cudaFree(device));
  }

  @Test
  void findsPoolMemoryThatAnotherStreamUsesTooEarlyOrTooLate() {
    var stream = raw.stream();
    var other = raw.stream();
    var pool = raw.pool();
    var out = raw.arena.allocate(ADDRESS);

    RawCuda.ok(Cudart.cudaMallocFromPoolAsync(out, 4, pool, stream));
    var memory = RawCuda.pointer(out);
    RawCuda.ok(Cudart.cudaMemsetAsync(memory, 0, 4, other)); // not ordered after the allocation
    RawCuda.ok(Cudart.cudaStreamSynchronize(other));
    RawCuda.ok(Cudart.cudaMemsetAsync(memory, 0, 4, other)); // not ordered before the free
    RawCuda.ok(Cudart.cudaFreeAsync(memory, stream));
    RawCuda.ok(Cudart.cudaStreamSynchronize(stream));
    RawCuda.ok(Cudart.cudaStreamSynchronize(other));

    raw.assertViolations("a fill runs on device memory before its allocation", "freed memory");
    RawCuda.destroy(stream, other);
    RawCuda.ok(Cudart.cudaMemPoolDestroy(pool));
  }

  @Test
  void findsPoolMemoryThatAnotherStreamFreesTooEarly() {
    var stream = raw.stream();
    var other = raw.stream();
    var pool = raw.pool();
    var out = raw.arena.allocate(ADDRESS);

    RawCuda.ok(Cudart.cudaMallocFromPoolAsync(out, 4, pool, stream));
    RawCuda.ok(Cudart.cudaFreeAsync(RawCuda.pointer(out), other));
    RawCuda.destroy(other, stream);

    raw.assertViolations("device memory is freed before its allocation is reached");
    RawCuda.ok(Cudart.cudaMemPoolDestroy(pool));
  }

  @Test
  void findsPoolMemoryThatIsUsedOrFreedAfterItsFreeIsEnqueued() {
    var stream = raw.stream();
    var pool = raw.pool();
    var out = raw.arena.allocate(ADDRESS);
    RawCuda.ok(Cudart.cudaMallocFromPoolAsync(out, 4, pool, stream));
    RawCuda.ok(Cudart.cudaFreeAsync(RawCuda.pointer(out), stream));

    assertThat(Cudart.cudaMemsetAsync(RawCuda.pointer(out), 0, 4, stream))
        .isEqualTo(RawCuda.INVALID_VALUE);
    assertThat(Cudart.cudaFreeAsync(RawCuda.pointer(out), stream)).isEqualTo(RawCuda.INVALID_VALUE);
    raw.assertViolations("the free of the memory is enqueued already", "freed already");
    RawCuda.destroy(stream);
    RawCuda.ok(Cudart.cudaMemPoolDestroy(pool));
  }
}
