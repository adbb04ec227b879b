package io.nereid.tensorrt.doubles;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tensorrt.bindings.cudart.Cudart;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of the double of libcudart itself: wrong handles and devices, and calls that fail because a
 * test says so. They call the bindings, which check nothing.
 */
@UsesDoubles
final class CudartDoubleFaultTest {
  private final CudartDouble cuda;
  private final RawCuda raw;

  CudartDoubleFaultTest(CudartDouble cuda) {
    this.cuda = cuda;
    this.raw = new RawCuda(cuda);
  }

  @AfterEach
  void close() {
    raw.close();
  }

  @Test
  void findsTheUseOfDestroyedAndForeignHandles() {
    var stream = raw.stream();
    var event = raw.event();
    RawCuda.destroy(stream);

    assertThat(Cudart.cudaStreamSynchronize(stream)).isEqualTo(RawCuda.INVALID_HANDLE);
    assertThat(Cudart.cudaStreamDestroy(stream)).isEqualTo(RawCuda.INVALID_HANDLE);
    assertThat(Cudart.cudaStreamQuery(event)).isEqualTo(RawCuda.INVALID_HANDLE);
    assertThat(Cudart.cudaStreamQuery(MemorySegment.NULL)).isEqualTo(RawCuda.INVALID_HANDLE);
    raw.assertViolations("destroyed stream", "destroyed stream", "no stream", "no stream");
    RawCuda.ok(Cudart.cudaEventDestroy(event));
  }

  @Test
  void findsAStreamThatIsDestroyedWhileWorkIsPending() {
    var stream = raw.stream();
    var device = raw.malloc(4);
    RawCuda.ok(Cudart.cudaMemsetAsync(device, 0, 4, stream));

    RawCuda.ok(Cudart.cudaStreamDestroy(stream));

    raw.assertViolations("a stream is destroyed while work is pending");
    RawCuda.ok(Cudart.cudaFree(device));
  }

  @Test
  void findsObjectsOfTwoDevicesInOneCall() {
    var event = raw.event();
    var memory = raw.malloc(4);
    RawCuda.ok(Cudart.cudaSetDevice(1));
    var stream = raw.stream();

    assertThat(Cudart.cudaEventRecord(event, stream)).isEqualTo(RawCuda.INVALID_HANDLE);
    assertThat(Cudart.cudaMemsetAsync(memory, 0, 4, stream)).isEqualTo(RawCuda.INVALID_VALUE);
    raw.assertViolations(
        "an event of device 0 is recorded on a stream of device 1",
        "memory of device 0 on a stream of device 1");
    RawCuda.destroy(stream);
    RawCuda.ok(Cudart.cudaEventDestroy(event));
    RawCuda.ok(Cudart.cudaFree(memory));
  }

  @Test
  void findsCallsThatWaitForTheWorkOfOthers() throws Throwable {
    for (String function : List.of("cudaDeviceSynchronize", "cudaDeviceReset")) {
      int status = (int) raw.control(function, FunctionDescriptor.of(JAVA_INT)).invokeExact();
      assertThat(status).isNotZero();
    }
    raw.assertViolations("cudaDeviceSynchronize waits", "cudaDeviceReset destroys");
  }

  @Test
  void failsEveryCallThatNeedsADriverWithoutOne() {
    cuda.setVersions(13000, 0);
    var out = raw.arena.allocate(ADDRESS);

    assertThat(Cudart.cudaGetDeviceCount(out)).isEqualTo(35);
    assertThat(Cudart.cudaMalloc(out, 4)).isEqualTo(35);
    assertThat(Cudart.cudaGetErrorName(35).reinterpret(100).getString(0))
        .isEqualTo("cudaErrorInsufficientDriver");
    assertThat(Cudart.cudaDriverGetVersion(out)).isZero();
    assertThat(out.get(JAVA_INT, 0)).isZero();
    assertThat(Cudart.cudaRuntimeGetVersion(out)).isZero();
    assertThat(out.get(JAVA_INT, 0)).isEqualTo(13000);
  }

  @Test
  void failsTheCallsThatATestNames() {
    cuda.fail("cudaMalloc", 1, 2, 2);

    assertThat(statuses(4, out -> Cudart.cudaMalloc(out, 4))).containsExactly(0, 2, 2, 0);
    assertThat(cuda.calls("cudaMalloc")).isEqualTo(4);
  }

  @Test
  void failsTheSameCallsAtRandomForTheSameSeed() {
    var first = randomStatuses(7);

    assertThat(randomStatuses(7)).isEqualTo(first);
    assertThat(randomStatuses(8)).isNotEqualTo(first);
    assertThat(first).contains(0, 2);
  }

  private List<Integer> randomStatuses(long seed) {
    cuda.reset();
    cuda.failAtRandom(CudartDouble.ANY, 300_000, 2, seed);
    var statuses = new ArrayList<Integer>();
    for (int i = 0; i < 100; i++) {
      statuses.add(Cudart.cudaGetDevice(raw.arena.allocate(JAVA_INT)));
    }
    cuda.clearFaults();
    return statuses;
  }

  /** Statuses of allocations; what was allocated is freed. */
  private List<Integer> statuses(int count, ToIntFunction<MemorySegment> allocate) {
    var statuses = new ArrayList<Integer>();
    for (int i = 0; i < count; i++) {
      var out = raw.arena.allocate(ADDRESS);
      int status = allocate.applyAsInt(out);
      statuses.add(status);
      if (status == 0) {
        RawCuda.ok(Cudart.cudaFree(RawCuda.pointer(out)));
      }
    }
    return statuses;
  }

  @Test
  void losesThePendingWorkOfADeviceThatFails() {
    var stream = raw.stream();
    var device = raw.malloc(4);
    var target = raw.ints(7);
    RawCuda.ok(Cudart.cudaMemcpyAsync(target, device, 4, RawCuda.DEVICE_TO_HOST, stream));
    cuda.failDevice(0, 719);

    assertThat(Cudart.cudaStreamSynchronize(stream)).isEqualTo(719);
    assertThat(Cudart.cudaMemsetAsync(device, 0, 4, stream)).isEqualTo(719);
    assertThat(Cudart.cudaStreamDestroy(stream)).isEqualTo(719);
    assertThat(Cudart.cudaFree(device)).isEqualTo(719);
    assertThat(target.get(JAVA_INT, 0)).isEqualTo(7);
  }
}
