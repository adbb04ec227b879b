package io.nereid.onnx.ort;

import io.nereid.tensor.Shape;
import java.util.List;

/**
 * The declaration of an input or output in a model's file.
 *
 * @param elementType an {@code ONNXTensorElementDataType}; {@link #NOT_A_TENSOR} for a sequence,
 *     map or optional, whose {@code dims} are empty
 * @param dims {@link Shape#WILDCARD} for a dimension without a fixed size
 * @param symbols the name of each dimension, empty if it has none; dimensions of the same name have
 *     the same size
 */
public record OrtTensorInfo(String name, int elementType, Shape dims, List<String> symbols) {
  public static final int NOT_A_TENSOR = -1;

  public OrtTensorInfo {
    symbols = List.copyOf(symbols);
  }
}
