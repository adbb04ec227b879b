package io.nereid.tensorrt.build.profile;

import java.util.List;

/**
 * An optimisation profile: the ranges of the inputs that need one.
 *
 * @param inputs in the order of the graph
 */
public record Profile(List<Range> inputs) {
  public Profile {
    inputs = List.copyOf(inputs);
  }

  /**
   * The range of an input.
   *
   * @param ofValues whether these are values of a shape tensor; otherwise they are dimensions
   */
  public record Range(
      String input, boolean ofValues, List<Long> min, List<Long> opt, List<Long> max) {
    public Range {
      min = List.copyOf(min);
      opt = List.copyOf(opt);
      max = List.copyOf(max);
    }
  }
}
