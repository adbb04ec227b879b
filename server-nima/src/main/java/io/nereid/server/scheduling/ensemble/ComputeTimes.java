package io.nereid.server.scheduling.ensemble;

/**
 * How long the execution of a step took, or those of several together, by phase.
 *
 * @param inputNanos gathering inputs
 * @param inferNanos the model itself
 * @param outputNanos putting outputs in place
 */
record ComputeTimes(long inputNanos, long inferNanos, long outputNanos) {
  /** Those of a step that was not executed. */
  static final ComputeTimes NONE = new ComputeTimes(0, 0, 0);

  /** Both together. */
  ComputeTimes plus(ComputeTimes other) {
    return new ComputeTimes(
        inputNanos + other.inputNanos,
        inferNanos + other.inferNanos,
        outputNanos + other.outputNanos);
  }
}
