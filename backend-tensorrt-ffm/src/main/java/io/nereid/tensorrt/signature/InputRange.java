package io.nereid.tensorrt.signature;

import io.nereid.tensor.Shape;

/**
 * What an optimisation profile admits for an input: its dimensions or, for a shape tensor, its
 * values. The three have the same number of elements.
 *
 * @param opt what TensorRT optimised the engine for
 */
public record InputRange(Shape min, Shape opt, Shape max) {
  public InputRange {
    if (min.rank() != max.rank() || min.rank() != opt.rank()) {
      throw new IllegalArgumentException("range from %s over %s to %s".formatted(min, opt, max));
    }
  }

  /** The range of an input of fixed dimensions. */
  public static InputRange of(Shape fixed) {
    return new InputRange(fixed, fixed, fixed);
  }
}
