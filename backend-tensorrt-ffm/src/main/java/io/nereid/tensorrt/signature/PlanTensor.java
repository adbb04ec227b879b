package io.nereid.tensorrt.signature;

import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.List;
import java.util.Optional;

/**
 * An input or output of an engine.
 *
 * @param index its position in the engine
 * @param input whether it is an input
 * @param dataType empty if requests have no such type
 * @param typeName TensorRT's name of the type, such as {@code FP8}
 * @param dims {@link Shape#WILDCARD} where they vary; what TensorRT finds out while it runs varies
 *     too
 * @param shapeTensor whether TensorRT reads or writes its values in host memory, to infer shapes
 * @param format TensorRT's name of the memory layout in each profile that has another than the
 *     packed one, such as {@code CHW32}
 * @param ranges by profile; empty for an output
 */
public record PlanTensor(
    int index,
    String name,
    boolean input,
    Optional<DataType> dataType,
    String typeName,
    Shape dims,
    boolean shapeTensor,
    Optional<String> format,
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

  /** The type as configurations write it, for messages. */
  String configType() {
    return dataType.map(DataType::configName).orElse(typeName);
  }
}
