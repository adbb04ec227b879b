package io.nereid.tensorrt.signature;

import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.List;

/**
 * An input or output of an engine.
 *
 * @param index its position in the engine
 * @param input whether it is an input
 * @param dims {@link Shape#WILDCARD} where they vary; what TensorRT finds out while it runs varies
 *     too
 * @param shapeTensor whether TensorRT reads or writes its values in host memory, to infer shapes
 * @param ranges by profile; empty for an output
 */
public record PlanTensor(
    int index,
    String name,
    boolean input,
    DataType dataType,
    Shape dims,
    boolean shapeTensor,
    List<InputRange> ranges) {
  public PlanTensor {
    ranges = List.copyOf(ranges);
  }

  /** {@code input} or {@code output}, for messages. */
  public String role() {
    return input ? "input" : "output";
  }

  boolean hasVariableFirstDimension() {
    return dims.rank() > 0 && dims.dim(0) == Shape.WILDCARD;
  }
}
