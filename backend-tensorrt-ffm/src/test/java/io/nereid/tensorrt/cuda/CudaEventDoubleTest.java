package io.nereid.tensorrt.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.tensorrt.doubles.UsesDoubles;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Events against the double of libcudart; its times are not those of a GPU. */
@UsesDoubles
final class CudaEventDoubleTest {
  @Test
  void isCompleteOnceTheWorkBeforeItsRecordIsDone() {
    try (var gpu = new DeviceUnderTest();
        var event = CudaEvent.create(false, false)) {
      DeviceBuffer buffer = gpu.upload(4);
      MemorySegment target = gpu.room(1);
      gpu.stream.copyToHost(target, buffer, 0, 4);

      event.record(gpu.stream);
      buffer.free(gpu.stream);

      assertThat(event.isComplete()).isFalse();
      event.synchronize();
      assertThat(event.isComplete()).isTrue();
      assertThat(DeviceUnderTest.ints(target)).containsExactly(4);
      assertThat(gpu.stream.isIdle()).as("the free comes after the record").isTrue();
    }
  }

  @Test
  void becomesCompleteWhileItIsPolled() {
    try (var gpu = new DeviceUnderTest();
        var event = CudaEvent.create(true, false)) {
      DeviceBuffer buffer = gpu.upload(4);
      event.record(gpu.stream);
      buffer.free(gpu.stream);

      int polls = 0;
      while (!event.isComplete()) {
        polls++;
      }

      assertThat(polls).as("an allocation, a copy and the record").isEqualTo(2);
    }
  }

  @Test
  void measuresTheTimeBetweenTwoRecords() {
    try (var gpu = new DeviceUnderTest();
        var start = CudaEvent.create(false, true);
        var end = CudaEvent.create(false, true)) {
      start.record(gpu.stream);
      DeviceBuffer buffer = gpu.upload(1);
      end.record(gpu.stream);
      buffer.free(gpu.stream);
      gpu.stream.synchronize();

      assertThat(CudaEvent.millisBetween(start, end)).isNotNegative();
    }
  }

  @Test
  void measuresNoTimeWithoutTiming() {
    try (var gpu = new DeviceUnderTest();
        var start = CudaEvent.create(false, false);
        var end = CudaEvent.create(false, true)) {
      start.record(gpu.stream);
      end.record(gpu.stream);
      gpu.stream.synchronize();

      assertThatExceptionOfType(CudaException.class)
          .isThrownBy(() -> CudaEvent.millisBetween(start, end))
          .withMessage(
              "cudaEventElapsedTime failed on device 0: cudaErrorInvalidResourceHandle (400):"
                  + " invalid resource handle");
    }
  }
}
