package io.nereid.tensorrt;

import static io.nereid.tensorrt.TestPlans.bare;
import static io.nereid.tensorrt.TestPlans.doubling;
import static io.nereid.tensorrt.TestPlans.floats;
import static io.nereid.tensorrt.TestPlans.rows;
import static io.nereid.tensorrt.TestPlans.underTest;
import static io.nereid.tensorrt.TestPlans.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.CudaSettings;
import io.nereid.error.InferenceException;
import io.nereid.tensorrt.cuda.CudaDevices;
import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.UsesDoubles;
import io.nereid.tensorrt.engine.CapturedLog;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The life of a model with the n-th call of the doubles failing, for each n: it ends in answers or
 * in an {@link InferenceException}, and leaves nothing behind.
 */
@UsesDoubles
class EveryCallFailsDoubleTest {
  private static final int INVALID_VALUE = 1;

  private final CudartDouble cuda;

  EveryCallFailsDoubleTest(CudartDouble cuda) {
    this.cuda = cuda;
  }

  @ParameterizedTest
  @ValueSource(ints = {INVALID_VALUE, CudartDouble.OUT_OF_MEMORY, CudartDouble.ILLEGAL_ADDRESS})
  void noFailureLeavesAnythingBehind(int code) {
    try (var log = CapturedLog.of("io.nereid.tensorrt")) {
      log.limit(Level.OFF); // thousands of failures
      long calls = 2 * callsOfALife(); // and those of the closing
      for (long skip = 0; skip < calls; skip++) {
        assertNothingIsLeft(skip, code);
      }
    }
  }

  private void assertNothingIsLeft(long skip, int code) {
    cuda.reset();
    CudaDevices.forgetAll();
    cuda.fail(CudartDouble.ANY, skip, 1, code);
    try {
      live(); // some failures are none for a client, such as that of a capture
    } catch (InferenceException failure) {
      assertThat(failure).hasMessageNotContaining("null");
    }
    assertThat(cuda.violations()).as("call %d failed", skip).isEmpty();
  }

  /** The number of calls until the last batch is answered. */
  private long callsOfALife() {
    long least = 0;
    long most = 4096;
    while (least < most) {
      long middle = (least + most) / 2;
      if (lasts(middle)) {
        most = middle;
      } else {
        least = middle + 1;
      }
    }
    return least;
  }

  /** Whether a life needs no more than {@code calls} calls: all others would fail. */
  private boolean lasts(long calls) {
    cuda.reset();
    CudaDevices.forgetAll();
    cuda.fail(CudartDouble.ANY, calls, Long.MAX_VALUE, INVALID_VALUE);
    try {
      live();
      return true;
    } catch (InferenceException tooFew) {
      return false;
    } finally {
      cuda.clearFaults();
      cuda.forgetObjects();
    }
  }

  /** A model is loaded, executes batches with graphs, and is closed. */
  private static void live() {
    var graphs = new CudaSettings(true, false, List.of(), false);
    try (var served = ServedModel.open(underTest(with(bare("m"), graphs), doubling(4), Map.of()))) {
      for (int i = 0; i < 6; i++) {
        var flight = served.execute(List.of(List.of(rows("IN", 2, 4, i))));
        assertThat(floats(flight.output(0, "OUT"))).containsOnly(2 * i);
      }
    }
  }
}
