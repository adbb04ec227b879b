package io.nereid.tensorrt.engine;

import io.nereid.tensor.Shape;
import java.util.List;
import java.util.Optional;

/**
 * What an optimization profile allows for an input.
 *
 * @param min the least dimensions
 * @param opt those that the engine was optimized for
 * @param max the greatest
 * @param values the same for the content of a shape tensor; empty for other inputs, before TensorRT
 *     10.11, and if the plan was built with 32-bit values ({@code setShapeValues})
 */
public record ProfileRange(Shape min, Shape opt, Shape max, Optional<Values> values) {
  /**
   * What the content of a shape tensor may be, element by element.
   *
   * @param min the least values
   * @param opt those that the engine was optimized for
   * @param max the greatest
   */
  public record Values(List<Long> min, List<Long> opt, List<Long> max) {
    public Values {
      min = List.copyOf(min);
      opt = List.copyOf(opt);
      max = List.copyOf(max);
    }
  }
}
