package io.nereid.tensorrt.engine;

/**
 * How much device memory an execution context allocates: Triton's {@code
 * execution_context_allocation_strategy}.
 */
public enum AllocationStrategy {
  /** Enough for all profiles, when the context is created. */
  STATIC(0),
  /** Enough for a profile, whenever the profile changes. */
  ON_PROFILE_CHANGE(1);

  private final int value;

  /**
   * @param value of {@code nvinfer1::ExecutionContextAllocationStrategy}
   */
  AllocationStrategy(int value) {
    this.value = value;
  }

  int value() {
    return value;
  }
}
