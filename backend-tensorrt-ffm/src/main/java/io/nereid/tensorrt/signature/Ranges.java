package io.nereid.tensorrt.signature;

import io.nereid.tensor.Shape;

/** What a range admits. */
final class Ranges {
  private Ranges() {}

  /** Whether the dimensions or values are in the range; wildcards always are. */
  static boolean admits(long[] dims, int rank, InputRange range) {
    if (rank != range.max().rank()) {
      return false;
    }
    for (int i = 0; i < rank; i++) {
      if (isOutside(dims[i], range, i)) {
        return false;
      }
    }
    return true;
  }

  /** The distance from what the engine is optimised for: the sum over the dimensions or values. */
  static long distance(long[] dims, int rank, InputRange range) {
    long distance = 0;
    for (int i = 0; i < rank; i++) {
      long opt = range.opt().dim(i);
      distance += opt == Shape.WILDCARD ? 0 : Math.abs(dims[i] - opt);
    }
    return distance;
  }

  /** Why dimensions are not in the range, in Triton's words; empty if they are. */
  static String outside(long[] dims, InputRange range) {
    if (dims.length != range.max().rank()) {
      return "model expected %d dimensions but received %d dimensions"
          .formatted(range.max().rank(), dims.length);
    }
    for (int i = 0; i < dims.length; i++) {
      if (isOutside(dims[i], range, i)) {
        return "model expected the shape of dimension %d to be between %d and %d but received %d"
            .formatted(i, range.min().dim(i), range.max().dim(i), dims[i]);
      }
    }
    return "";
  }

  /** Why values of a shape tensor are not in the range, in Triton's words. */
  static String outsideValues(long[] values, InputRange range) {
    if (values.length != range.max().rank()) {
      return "mismatch between the number of shape values. Expecting %d. Got %d"
          .formatted(range.max().rank(), values.length);
    }
    int index = 0;
    while (!isOutside(values[index], range, index)) {
      index++;
    }
    return "The shape value at index %d is expected to be in range from %d to %d, Got: %d"
        .formatted(index, range.min().dim(index), range.max().dim(index), values[index]);
  }

  private static boolean isOutside(long dim, InputRange range, int index) {
    return dim != Shape.WILDCARD && (dim < range.min().dim(index) || dim > range.max().dim(index));
  }
}
