package io.nereid.onnx.ort;

import io.nereid.tensor.Shape;
import java.util.List;

/**
 * The declaration of an input or output in a model's file.
 *
 * @param elementType an {@code ONNXTensorElementDataType}; {@link #NOT_A_TENSOR} for a sequence,
 *     map or optional, whose {@code dims} are empty
 * @param hasRank whether the file says how many dimensions there are; {@code dims} are empty if not
 * @param dims {@link Shape#WILDCARD} for a dimension without a fixed size
 * @param symbols the name of each dimension, empty if it has none; dimensions of the same name have
 *     the same size
 */
public record OrtTensorInfo(
    String name, int elementType, boolean hasRank, Shape dims, List<String> symbols) {
  public static final int NOT_A_TENSOR = -1;

  public OrtTensorInfo {
    symbols = List.copyOf(symbols);
  }

  /** The dimensions as a configuration declares them, which cannot declare one of 0. */
  public Shape declaredDims() {
    long[] declared = dims.dims();
    for (int axis = 0; axis < declared.length; axis++) {
      declared[axis] = declared[axis] == 0 ? Shape.WILDCARD : declared[axis];
    }
    return Shape.of(declared);
  }
}
