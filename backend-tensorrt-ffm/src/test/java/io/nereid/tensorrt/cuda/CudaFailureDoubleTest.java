package io.nereid.tensorrt.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.nereid.tensorrt.bindings.cudart.Cudart;
import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Failures of every function that the CUDA layer calls, made by the double of libcudart. */
@UsesDoubles
final class CudaFailureDoubleTest {
  private static final int INVALID_VALUE = 1;

  /** Functions that cannot fail, and those that only the probe of the libraries calls. */
  private static final Set<String> NOT_IN_THE_LAYER =
      Set.of(
          "cudaGetErrorName",
          "cudaGetErrorString",
          "cudaGetLastError",
          "cudaDriverGetVersion",
          "cudaRuntimeGetVersion");

  private final CudartDouble cuda;

  CudaFailureDoubleTest(CudartDouble cuda) {
    this.cuda = cuda;
  }

  static List<String> functions() {
    return Arrays.stream(Cudart.class.getMethods())
        .map(Method::getName)
        .filter(name -> name.endsWith("$descriptor"))
        .map(name -> name.substring(0, name.indexOf('$')))
        .filter(Predicate.not(NOT_IN_THE_LAYER::contains))
        .sorted()
        .toList();
  }

  /** Uses all of the layer, on device 1 while the thread uses device 0 at first. */
  private static void useAll() {
    CudaDevice.of(0).use();
    CudaDevice device = CudaDevice.of(CudaDevice.count() - 1);
    assertThat(device.memory().total()).isPositive();
    var pinned = new PinnedMemory(device);
    try (var outputs = new PinnedPool(pinned, 1 << 20);
        var output = Objects.requireNonNull(outputs.tryLease(16));
        var shared = DeviceMemory.allocate(device, 16);
        var opened = CudaIpc.openMemory(device, CudaIpc.exportMemory(shared), 16)) {
      device.use();
      useStream(device, opened.buffer(), output.memory());
    }
  }

  private static void useStream(CudaDevice device, DeviceBuffer shared, MemorySegment output) {
    try (var event = CudaEvent.create(false, false);
        var start = CudaEvent.create(true, true);
        var end = CudaEvent.create(false, true);
        var pool = DeviceMemoryPool.create(device);
        var stream = CudaStream.create(device.greatestStreamPriority())) {
      DeviceBuffer buffer = pool.allocate(16, stream);
      try {
        start.record(stream);
        stream.fill(buffer, 0, 16, (byte) 7);
        stream.copyOnDevice(shared, 0, buffer, 0, 16);
        event.record(stream);
        stream.await(event);
        replay(stream, () -> stream.copyToHost(output, shared, 0, 16));
        end.record(stream);
        end.synchronize();
        assertThat(end.isComplete()).isTrue();
        assertThat(CudaEvent.millisBetween(start, end)).isNotNegative();
        assertThat(pool.usedBytes()).isEqualTo(16);
      } finally {
        try {
          buffer.free(stream);
        } finally {
          stream.synchronize();
        }
      }
      assertThat(stream.isIdle()).isTrue();
    }
  }

  private static void replay(CudaStream stream, Runnable work) {
    try (var graph = CudaGraph.capture(stream, work)) {
      graph.launch(stream);
      stream.synchronize();
    }
  }

  @Test
  void doesNotFailWhereNoCallFails() {
    useAll();
  }

  @ParameterizedTest
  @MethodSource("functions")
  void namesTheCallAndTheErrorAndLeaksNothingAtEachCallOf(String function) {
    useAll();
    long calls = cuda.calls(function);
    assertThat(calls).as("calls of " + function).isPositive();

    for (long i = 0; i < calls; i++) {
      cuda.reset();
      CudaDevices.forgetAll();
      cuda.fail(function, i, 1, INVALID_VALUE);

      var failed = catchThrowableOfType(CudaException.class, CudaFailureDoubleTest::useAll);

      assertThat(failed.code()).isEqualTo(INVALID_VALUE);
      assertThat(failed.isSticky()).isFalse();
      assertThat(failed)
          .hasMessageStartingWith(function + " failed")
          .hasMessageEndingWith(": cudaErrorInvalidValue (1): invalid argument");
      assertThat(cuda.lastError()).as("the last error is cleared").isZero();
      assertNothingIsLeft();
    }
  }

  @ParameterizedTest
  @MethodSource("functions")
  void leaksNothingAfterAStickyErrorAtEachCallOf(String function) {
    useAll();
    long calls = cuda.calls(function);

    for (long i = 0; i < calls; i++) {
      cuda.reset();
      CudaDevices.forgetAll();
      cuda.fail(function, i, 1, CudartDouble.ILLEGAL_ADDRESS);

      assertThatExceptionOfType(CudaException.class)
          .isThrownBy(CudaFailureDoubleTest::useAll)
          .withMessageContaining("cudaErrorIllegalAddress (700)")
          .matches(CudaException::isSticky);
      assertNothingIsLeft();
    }
  }

  private void assertNothingIsLeft() {
    assertThat(cuda.violations()).isEmpty();
    assertThat(cuda.live()).allSatisfy((_, live) -> assertThat(live).isZero());
  }

  static Stream<Integer> stickyErrors() {
    return Stream.of(
        214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911, 999);
  }

  @ParameterizedTest
  @MethodSource("stickyErrors")
  void remembersAStickyErrorForItsDevice(int code) {
    try (var gpu = new DeviceUnderTest();
        var other = new DeviceUnderTest(1)) {
      DeviceBuffer buffer = gpu.upload(1);
      cuda.failNext(CudartDouble.OPERATION, code);

      var first = catchThrowableOfType(CudaException.class, gpu.stream::synchronize);
      long copies = cuda.calls("cudaMemcpyAsync");
      var later =
          catchThrowableOfType(
              CudaException.class, () -> gpu.stream.copyToHost(gpu.room(1), buffer, 0, 4));

      assertThat(first.isSticky()).isTrue();
      assertThat(gpu.device.failure()).isSameAs(first);
      assertThat(later)
          .hasMessage(
              "cudaMemcpyAsync was not called, CUDA has failed before on device 0: "
                  + first.getMessage());
      assertThat(later.isSticky()).isTrue();
      assertThat(later.code()).isEqualTo(code);
      assertThat(cuda.calls("cudaMemcpyAsync")).isEqualTo(copies);
      assertThat(other.device.failure()).isNull();
      other.upload(1).free(other.stream);
      buffer.free(gpu.stream);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 46, 400, 701})
  void goesOnAfterAnErrorThatIsNotSticky(int code) {
    try (var gpu = new DeviceUnderTest()) {
      cuda.failNext("cudaMemsetAsync", code);
      DeviceBuffer buffer = gpu.upload(1);

      assertThatExceptionOfType(CudaException.class)
          .isThrownBy(() -> gpu.stream.fill(buffer, 0, 4, (byte) 0))
          .matches(failed -> !failed.isSticky());

      gpu.stream.fill(buffer, 0, 4, (byte) 0);
      assertThat(gpu.download(buffer)).containsExactly(0);
      buffer.free(gpu.stream);
    }
  }
}
