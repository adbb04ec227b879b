package io.nereid.tensorrt;

import static io.nereid.tensorrt.TestPlans.bare;
import static io.nereid.tensorrt.TestPlans.doubling;
import static io.nereid.tensorrt.TestPlans.underTest;
import static io.nereid.tensorrt.TestPlans.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.CudaSettings;
import io.nereid.config.OptimizationSettings;
import io.nereid.config.OptimizationSettings.Priority;
import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a model's {@code optimization} makes of the streams and events of an instance, as the double
 * of libcudart is asked for them. The double's priorities are 0, the least, to -5.
 */
@UsesDoubles
class OptimizationDoubleTest {
  /** {@code cudaEventBlockingSync}: a thread that waits for the event sleeps. */
  private static final int BLOCKING_SYNC = 1;

  private final CudartDouble cuda;

  OptimizationDoubleTest(CudartDouble cuda) {
    this.cuda = cuda;
  }

  private static ServedModel open(Priority priority, boolean busyWait) {
    var optimization =
        new OptimizationSettings(
            0,
            priority,
            List.of(),
            List.of(),
            new CudaSettings(false, busyWait, List.of(), false),
            true,
            true,
            0,
            false);
    return ServedModel.open(underTest(with(bare("m"), optimization), doubling(4), Map.of()));
  }

  @Test
  void theThreadSleepsUntilAnEventIsCompleteOrSpinsWithBusyWaitEvents() {
    try (var served = open(Priority.DEFAULT, false)) {
      assertThat(served.instance().isHealthy()).isTrue();
      assertThat(cuda.eventsWith(BLOCKING_SYNC)).isPositive().isEqualTo(cuda.live("events"));
    }
    try (var served = open(Priority.DEFAULT, true)) {
      assertThat(served.instance().isHealthy()).isTrue();
      assertThat(cuda.live("events")).isPositive();
      assertThat(cuda.eventsWith(BLOCKING_SYNC)).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({"DEFAULT, 0", "MIN, 0", "MAX, -5"})
  void allStreamsHaveThePriorityOfTheModel(Priority priority, int expected) {
    try (var served = open(priority, false)) {
      assertThat(served.instance().isHealthy()).isTrue();
      assertThat(cuda.streamsWith(expected)).isPositive().isEqualTo(cuda.live("streams"));
    }
  }
}
