package io.nereid.tensorrt;

import static io.nereid.tensorrt.TestPlans.doubling;
import static io.nereid.tensorrt.TestPlans.floats;
import static io.nereid.tensorrt.TestPlans.rows;
import static io.nereid.tensorrt.TestPlans.underTest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Failures of CUDA and TensorRT, which the doubles make. */
@UsesDoubles
class DeviceFailureDoubleTest {
  private static final int INVALID_VALUE = 1;

  private final CudartDouble cuda;

  DeviceFailureDoubleTest(CudartDouble cuda) {
    this.cuda = cuda;
  }

  private static ServedModel open() {
    return ServedModel.open(underTest("m", doubling(4)));
  }

  private static void requireAnswer(ServedModel served, float value) {
    var flight = served.execute(List.of(List.of(rows("IN", 2, 4, value))));
    assertThat(floats(flight.output(0, "OUT"))).containsOnly(2 * value);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cudaMemcpyAsync",
        "cudaEventRecord",
        "cudaStreamWaitEvent",
        "cudaEventSynchronize",
        "cudaMallocFromPoolAsync",
        "cudaHostAlloc",
        "IExecutionContext_setInputShape",
        "IExecutionContext_setTensorAddress",
        "IExecutionContext_inferShapes",
        "IExecutionContext_setInputConsumedEvent",
        "IExecutionContext_enqueueV3"
      })
  void aFailedCallFailsItsBatchAndNoOther(String function) {
    try (var served = open()) {
      for (int skip = 0; skip < 4; skip++) {
        cuda.fail(function, skip, 1, INVALID_VALUE);
        try {
          requireAnswer(served, 1); // the call is not made as often
        } catch (InferenceException failure) {
          assertThat(failure).hasMessageContaining("model 'm'");
          assertThat(failure.code()).isIn(StatusCode.INTERNAL, StatusCode.RESOURCE_EXHAUSTED);
        }
        cuda.clearFaults();

        assertThat(served.instance().isHealthy()).isTrue();
        requireAnswer(served, 3);
      }
    }
  }

  @Test
  void theBatchBeforeAFailedOneIsAnswered() {
    try (var served = open()) {
      var first = served.start(served.batch(List.of(List.of(rows("IN", 1, 4, 1)))));
      cuda.failNext("IExecutionContext_enqueueV3", INVALID_VALUE);
      assertThatThrownBy(() -> served.start(served.batch(List.of(List.of(rows("IN", 1, 4, 2))))))
          .isInstanceOf(InferenceException.class)
          .hasMessageStartingWith("model 'm': cannot enqueue the inference");
      var third = served.start(served.batch(List.of(List.of(rows("IN", 1, 4, 3)))));

      served.instance().finish();
      served.instance().finish();

      assertThat(floats(first.output(0, "OUT"))).containsOnly(2);
      assertThat(floats(third.output(0, "OUT"))).containsOnly(6);
    }
  }

  @Test
  void lackOfDeviceMemoryIsUnavailable() {
    try (var served = open()) {
      cuda.failNext("cudaMallocFromPoolAsync", CudartDouble.OUT_OF_MEMORY);
      assertThatThrownBy(() -> requireAnswer(served, 1))
          .isInstanceOfSatisfying(
              InferenceException.class,
              failure -> assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE))
          .hasMessageContaining("cudaErrorMemoryAllocation");
      requireAnswer(served, 2);
    }
  }

  @Test
  void aStickyErrorMakesTheInstanceUnhealthyAndItsBatchesUnavailable() {
    try (var served = open()) {
      requireAnswer(served, 1);
      served.start(served.batch(List.of(List.of(rows("IN", 1, 4, 1)))));
      cuda.failDevice(0, CudartDouble.ILLEGAL_ADDRESS);

      assertThatThrownBy(served.instance()::finish)
          .isInstanceOfSatisfying(
              InferenceException.class,
              failure -> assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE))
          .hasMessageContaining("cudaErrorIllegalAddress");
      assertThat(served.instance().isHealthy()).isFalse();
      assertThat(served.instance().failureReason().orElseThrow())
          .startsWith("model 'm': GPU 0 has failed")
          .contains("cudaErrorIllegalAddress");
      assertThatThrownBy(() -> requireAnswer(served, 2))
          .isInstanceOfSatisfying(
              InferenceException.class,
              failure -> assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE))
          .hasMessageContaining("cudaErrorIllegalAddress")
          .hasMessageStartingWith("model 'm': GPU 0 has failed");
    }
  }

  @Test
  void anOperationThatFailsOnTheDeviceMakesTheInstanceUnhealthy() {
    try (var served = open()) {
      cuda.failNext(CudartDouble.OPERATION, CudartDouble.ILLEGAL_ADDRESS);
      assertThatThrownBy(() -> requireAnswer(served, 1))
          .isInstanceOfSatisfying(
              InferenceException.class,
              failure -> assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE));
      assertThat(served.instance().isHealthy()).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cudaStreamCreateWithPriority",
        "cudaMemPoolCreate",
        "cudaMemPoolSetAttribute",
        "cudaEventCreateWithFlags",
        "cudaStreamSynchronize",
        "IExecutionContext_setOptimizationProfileAsync",
        "ICudaEngine_createExecutionContext",
        "IRuntime_deserializeCudaEngine",
        "createInferRuntime_INTERNAL"
      })
  void aFailureToOpenLeavesNothingBehind(String function) {
    for (int skip = 0; skip < 4; skip++) {
      cuda.fail(function, skip, 1, INVALID_VALUE);
      try (var served = open()) {
        cuda.clearFaults();
        requireAnswer(served, 1);
      } catch (InferenceException failure) {
        assertThat(failure).hasMessageContaining("'m'");
      }
      cuda.clearFaults();
    }
  }
}
