package io.nereid.exchange;

/**
 * How long a request's execution took, by phase.
 *
 * @param inputNanos gathering inputs
 * @param inferNanos the model itself
 * @param outputNanos putting outputs in place
 */
public record ComputeTimes(long inputNanos, long inferNanos, long outputNanos) {
  /** Those of a request that was not executed. */
  public static final ComputeTimes NONE = new ComputeTimes(0, 0, 0);

  /** Both together. */
  public ComputeTimes plus(ComputeTimes other) {
    return new ComputeTimes(
        inputNanos + other.inputNanos,
        inferNanos + other.inferNanos,
        outputNanos + other.outputNanos);
  }
}
