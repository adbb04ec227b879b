package io.nereid.tensorrt.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Captured graphs and their cache against the double of libcudart. */
@UsesDoubles
final class CudaGraphDoubleTest {
  private final CudartDouble cuda;

  CudaGraphDoubleTest(CudartDouble cuda) {
    this.cuda = cuda;
  }

  @Test
  void replaysTheCapturedWorkWithWhatIsInTheBuffersThen() {
    try (var gpu = new DeviceUnderTest()) {
      var pinned = new PinnedMemory(gpu.device);
      MemorySegment source = pinned.allocate(4);
      MemorySegment target = pinned.allocate(4);
      DeviceBuffer buffer = gpu.pool.allocate(4, gpu.stream);

      try (var graph =
          CudaGraph.capture(
              gpu.stream,
              () -> {
                gpu.stream.copyToDevice(buffer, 0, source, 4);
                gpu.stream.copyToHost(target, buffer, 0, 4);
              })) {
        for (int value = 1; value <= 3; value++) {
          source.copyFrom(gpu.values(value));
          graph.launch(gpu.stream);
          gpu.stream.synchronize();
          assertThat(DeviceUnderTest.ints(target)).containsExactly(value);
        }
      }
      buffer.free(gpu.stream);
      gpu.stream.synchronize();
      pinned.free(source);
      pinned.free(target);
    }
  }

  @Test
  void executesNothingDuringTheCapture() {
    try (var gpu = new DeviceUnderTest()) {
      DeviceBuffer buffer = gpu.upload(1);
      MemorySegment target = gpu.values(7);

      CudaGraph.capture(gpu.stream, () -> gpu.stream.copyToHost(target, buffer, 0, 4)).close();
      gpu.stream.synchronize();

      assertThat(DeviceUnderTest.ints(target)).containsExactly(7);
      buffer.free(gpu.stream);
    }
  }

  @Test
  void capturesWorkOfAnotherStreamThatItWaitsFor() {
    try (var gpu = new DeviceUnderTest();
        var other = CudaStream.create(0);
        var fork = CudaEvent.create(false, false);
        var join = CudaEvent.create(false, false)) {
      DeviceBuffer buffer = gpu.upload(1);
      MemorySegment target = gpu.values(0);

      try (var graph =
          CudaGraph.capture(
              gpu.stream,
              () -> {
                fork.record(gpu.stream);
                other.await(fork);
                other.fill(buffer, 0, 4, (byte) 2);
                join.record(other);
                gpu.stream.await(join);
                gpu.stream.copyToHost(target, buffer, 0, 4);
              })) {
        graph.launch(gpu.stream);
        gpu.stream.synchronize();
      }

      assertThat(DeviceUnderTest.ints(target)).containsExactly(0x02020202);
      buffer.free(gpu.stream);
    }
  }

  @Test
  void failsIfAnotherStreamIsNotJoined() {
    try (var gpu = new DeviceUnderTest();
        var other = CudaStream.create(0);
        var fork = CudaEvent.create(false, false)) {
      assertThatExceptionOfType(CudaException.class)
          .isThrownBy(() ->
              CudaGraph.capture(
                  gpu.stream,
                  () -> {
                    fork.record(gpu.stream);
                    other.await(fork);
                  }))
          .withMessageContaining("cudaStreamEndCapture failed")
          .withMessageContaining("cudaErrorStreamCaptureUnjoined (904)");
    }
  }

  @Test
  void failsIfTheWorkWaitsForTheStream() {
    try (var gpu = new DeviceUnderTest()) {
      assertThatExceptionOfType(CudaException.class)
          .isThrownBy(() -> CudaGraph.capture(gpu.stream, gpu.stream::synchronize))
          .withMessageContaining("cudaErrorStreamCaptureUnsupported (900)")
          .satisfies(failed ->
              assertThat(failed.getSuppressed()[0])
                  .hasMessageContaining("cudaErrorStreamCaptureInvalidated (901)"));

      DeviceBuffer buffer = gpu.upload(1);
      assertThat(gpu.download(buffer)).as("the stream works again").containsExactly(1);
      buffer.free(gpu.stream);
    }
  }

  @Test
  void failsIfTheWorkAllocatesMemory() {
    try (var gpu = new DeviceUnderTest()) {
      assertThatExceptionOfType(CudaException.class)
          .isThrownBy(() ->
              CudaGraph.capture(
                  gpu.stream, () -> gpu.pool.allocate(4, gpu.stream).free(gpu.stream)))
          .withMessageContaining("cudaErrorStreamCaptureUnsupported (900)");
    }
  }

  @Test
  void endsTheCaptureIfTheWorkThrows() {
    try (var gpu = new DeviceUnderTest()) {
      assertThatIllegalStateException()
          .isThrownBy(() ->
              CudaGraph.capture(
                  gpu.stream,
                  () -> {
                    throw new IllegalStateException("the work");
                  }))
          .withMessage("the work");

      assertThat(gpu.stream.isIdle()).isTrue();
    }
  }

  @Test
  void cachesGraphsByKeyAndClosesTheOneNotUsedForLongest() {
    try (var gpu = new DeviceUnderTest();
        var cache = new CudaGraphCache<String>(2, gpu.stream)) {
      cache.put("a", empty(gpu));
      cache.put("b", empty(gpu));
      CudaGraph a = cache.get("a");
      cache.put("c", empty(gpu));

      assertThat(cache.get("a")).isNotNull().isSameAs(a);
      assertThat(cache.get("b")).isNull();
      assertThat(cache.get("c")).isNotNull();
      assertThat(cache.size()).isEqualTo(2);
      assertThat(cuda.live("graph executables")).isEqualTo(2);
    }
  }

  @Test
  void closesAGraphOnceItsLaunchIsDone() {
    try (var gpu = new DeviceUnderTest();
        var cache = new CudaGraphCache<Integer>(1, gpu.stream)) {
      CudaGraph graph = empty(gpu);
      cache.put(1, graph);
      graph.launch(gpu.stream);

      cache.put(2, empty(gpu));

      assertThat(gpu.stream.isIdle()).isTrue();
      assertThatIllegalStateException()
          .isThrownBy(() -> graph.launch(gpu.stream))
          .withMessage("CUDA graph is closed");
    }
  }

  @Test
  void replacesTheGraphOfAKey() {
    try (var gpu = new DeviceUnderTest();
        var cache = new CudaGraphCache<Integer>(4, gpu.stream)) {
      cache.put(1, empty(gpu));
      CudaGraph second = empty(gpu);
      cache.put(1, second);

      assertThat(cache.get(1)).isSameAs(second);
      assertThat(cuda.live("graph executables")).isEqualTo(1);
    }
  }

  private static CudaGraph empty(DeviceUnderTest gpu) {
    return CudaGraph.capture(gpu.stream, () -> {});
  }
}
