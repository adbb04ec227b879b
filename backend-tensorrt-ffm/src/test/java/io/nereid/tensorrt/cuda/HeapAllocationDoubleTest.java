package io.nereid.tensorrt.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tensorrt.doubles.HeapAllocation;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What a request costs on the Java heap: nothing, once the code is compiled. Measured against the
 * double of libcudart, which makes no difference to the Java code.
 */
@Tag("allocation")
@UsesDoubles
final class HeapAllocationDoubleTest {
  private static final int REQUESTS = 1000;

  @Test
  void aRequestAllocatesNothingOnTheHeap() {
    try (var gpu = new DeviceUnderTest();
        var copies = CudaStream.create(0);
        var copied = CudaEvent.create(true, false);
        var computed = CudaEvent.create(false, false)) {
      var pinned = new PinnedMemory(gpu.device);
      MemorySegment input = pinned.allocate(64);
      MemorySegment output = pinned.allocate(64);
      DeviceBuffer buffer = gpu.pool.allocate(64, copies);
      copies.synchronize();
      var graph = CudaGraph.capture(gpu.stream, () -> gpu.stream.fill(buffer, 32, 4, (byte) 1));
      Runnable request =
          () -> {
            assertThatIs(pinned.contains(input));
            copies.copyToDevice(buffer, 0, input, 16);
            copies.copyToDevice(buffer, 16, input, 16);
            copied.record(copies);
            gpu.stream.await(copied);
            graph.launch(gpu.stream);
            gpu.stream.fill(buffer, 48, 4, (byte) 2);
            gpu.stream.copyToHost(output, buffer, 16, 32);
            computed.record(gpu.stream);
            boolean _ = computed.isComplete();
            boolean _ = gpu.stream.isIdle();
            computed.synchronize();
          };

      assertThat(HeapAllocation.least(REQUESTS, 0, request))
          .as("bytes for %d requests", REQUESTS)
          .isZero();

      graph.close();
      buffer.free(gpu.stream);
      gpu.stream.synchronize();
      pinned.free(input);
      pinned.free(output);
    }
  }

  private static void assertThatIs(boolean condition) {
    if (!condition) {
      throw new AssertionError("the request did not run as expected");
    }
  }
}
