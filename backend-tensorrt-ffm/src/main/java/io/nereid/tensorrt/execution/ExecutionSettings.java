package io.nereid.tensorrt.execution;

import io.nereid.config.CudaSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.OptimizationSettings;
import io.nereid.tensorrt.engine.AllocationStrategy;

/**
 * How the instances of a model execute batches.
 *
 * @param optimization of the model's configuration; of {@code cuda}, {@code output_copy_stream} is
 *     not read: outputs are always copied on a stream of their own
 * @param strategy {@code execution_context_allocation_strategy}
 * @param coalesceInputs {@code coalesce-request-input} of the backend: whether inputs of requests
 *     that lie one behind the other are copied as one
 */
public record ExecutionSettings(
    OptimizationSettings optimization, AllocationStrategy strategy, boolean coalesceInputs) {
  /** A piece of an input that is smaller is copied by the processor first, with its neighbours. */
  static final long SMALL_PIECE = 16 << 10;

  /**
   * The settings of a model.
   *
   * @param strategy from the model's parameters
   */
  public static ExecutionSettings of(
      ModelConfig config, AllocationStrategy strategy, boolean coalesceInputs) {
    return new ExecutionSettings(config.optimization(), strategy, coalesceInputs);
  }

  CudaSettings cuda() {
    return optimization.cuda();
  }

  /**
   * Whether a piece of page-locked memory is gathered with its neighbours rather than copied to the
   * device by itself. A copy to the device takes microseconds to start, whatever its size.
   *
   * <p>{@code gather_kernel_buffer_threshold} is the number of requests from which Triton gathers
   * inputs with a kernel on the device. There is no kernel here: from that number on, the processor
   * gathers pieces of any size.
   */
  boolean gathers(long byteSize, int pieces) {
    long threshold = optimization.gatherKernelBufferThreshold();
    return pieces > 1 && (byteSize < SMALL_PIECE || (threshold > 0 && pieces >= threshold));
  }
}
