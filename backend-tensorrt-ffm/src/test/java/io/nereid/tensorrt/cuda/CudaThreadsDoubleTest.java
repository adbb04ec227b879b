package io.nereid.tensorrt.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.util.ArrayList;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads that use the CUDA layer at the same time; against the double of libcudart. */
@UsesDoubles
final class CudaThreadsDoubleTest {
  private static final int THREADS = 4;
  private static final int ROUNDS = 500;

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 2})
  void threadsWithStreamsOfTheirOwnDoNotDisturbEachOther(long seed, CudartDouble cuda)
      throws Exception {
    cuda.setRandomOrder(seed);
    var pinned = new PinnedMemory(CudaDevice.of(0));
    try (var outputs = new PinnedPool(pinned, 64 * 1024);
        var executor = Executors.newFixedThreadPool(THREADS)) {
      var results = new ArrayList<Future<?>>();
      for (int i = 0; i < THREADS; i++) {
        int thread = i;
        results.add(executor.submit(() -> work(thread, outputs)));
      }
      for (Future<?> result : results) {
        result.get();
      }
    }
  }

  private static void work(int thread, PinnedPool outputs) {
    var random = new SplittableRandom(thread);
    try (var gpu = new DeviceUnderTest(thread % 2);
        var copies = CudaStream.create(0);
        var copied = CudaEvent.create(false, false)) {
      for (int round = 0; round < ROUNDS; round++) {
        int[] values = random.ints(random.nextInt(1, 5000)).toArray();
        try (var output = outputs.tryLease(4L * values.length)) {
          var target = output == null ? gpu.room(values.length) : output.memory();
          DeviceBuffer buffer = gpu.pool.allocate(4L * values.length, copies);
          copies.copyToDevice(buffer, 0, gpu.values(values), buffer.byteSize());
          copied.record(copies);
          gpu.stream.await(copied);
          gpu.stream.copyToHost(target, buffer, 0, buffer.byteSize());
          buffer.free(gpu.stream);
          gpu.stream.synchronize();
          assertThat(DeviceUnderTest.ints(target.asSlice(0, 4L * values.length))).isEqualTo(values);
        }
      }
    }
  }
}
