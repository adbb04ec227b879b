package io.nereid.tensorrt.signature;

import io.nereid.tensor.Shape;
import java.util.Arrays;

/**
 * What an optimisation profile admits for an input: its dimensions or, for a shape tensor, its
 * values. The three have the same number of elements.
 *
 * @param opt what TensorRT optimised the engine for; {@link Shape#WILDCARD} if that is not known
 */
public record InputRange(Shape min, Shape opt, Shape max) {
  public InputRange {
    if (min.rank() != max.rank() || min.rank() != opt.rank()) {
      throw new IllegalArgumentException("range from %s over %s to %s".formatted(min, opt, max));
    }
  }

  /** A range that admits any {@code values} values of a shape tensor. */
  public static InputRange unknown(int values) {
    long[] least = new long[values];
    long[] opt = new long[values];
    long[] greatest = new long[values];
    Arrays.fill(least, Long.MIN_VALUE);
    Arrays.fill(opt, Shape.WILDCARD);
    Arrays.fill(greatest, Long.MAX_VALUE);
    return new InputRange(Shape.of(least), Shape.of(opt), Shape.of(greatest));
  }

  /** The range of an input of fixed dimensions. */
  public static InputRange of(Shape fixed) {
    return new InputRange(fixed, fixed, fixed);
  }
}
