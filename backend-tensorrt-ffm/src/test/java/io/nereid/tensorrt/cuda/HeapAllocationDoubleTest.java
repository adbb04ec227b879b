package io.nereid.tensorrt.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/**
 * What a request costs on the Java heap: nothing, once the code is compiled. Measured against the
 * double of libcudart, which makes no difference to the Java code.
 */
@UsesDoubles
final class HeapAllocationDoubleTest {
  private static final int ROUNDS = 300;
  private static final int REQUESTS = 1000;

  @Test
  void aRequestAllocatesNothingOnTheHeap() {
    try (var gpu = new Gpu();
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

      assertThat(leastAllocated(request)).as("bytes for %d requests", REQUESTS).isZero();

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

  /** The least bytes of a round; the compiler needs some rounds. */
  private static long leastAllocated(Runnable request) {
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS && least > 0; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < REQUESTS; i++) {
        request.run();
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    return least;
  }
}
