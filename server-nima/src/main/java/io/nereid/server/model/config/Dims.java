package io.nereid.server.model.config;

import io.nereid.error.InferenceException;
import java.util.ArrayList;
import java.util.List;

/**
 * The sizes that decide whether {@code dims} can be reshaped to {@code reshape}.
 *
 * @param elementCount the product; -1 if a dimension is open
 * @param fixedRuns the product of each run of fixed dimensions before, between and behind the open
 *     ones: one more than there are open dimensions
 */
record Dims(long elementCount, List<Long> fixedRuns) {
  private static final long OPEN = -1;

  /**
   * The sizes of these dimensions, each 1 or more or -1; none has one element.
   *
   * @param what named in the error
   * @throws InferenceException if a product exceeds a {@code long}
   */
  static Dims of(String what, List<Long> dims) {
    var runs = new ArrayList<Long>();
    long run = 1;
    try {
      for (long dim : dims) {
        if (dim == OPEN) {
          runs.add(run);
          run = 1;
        } else {
          run = Math.multiplyExact(run, dim);
        }
      }
    } catch (ArithmeticException overflow) {
      throw InferenceException.invalid(
          "element count for tensor '%s' exceeds maximum size of %d"
              .formatted(what, Long.MAX_VALUE));
    }
    runs.add(run);
    return new Dims(dims.contains(OPEN) ? OPEN : run, List.copyOf(runs));
  }
}
