package io.nereid.onnx.ort;

import io.nereid.tensor.Shape;
import java.util.List;

/**
 * What a model's file says of one of its inputs or outputs.
 *
 * @param elementType {@code ONNXTensorElementDataType}; {@link #NOT_A_TENSOR} for a sequence, a map
 *     and the like, which have no dimensions either
 * @param dims -1 where open
 * @param symbols for each dimension its name if it is open and has one, else an empty string; equal
 *     names mean equal sizes
 */
public record OrtTensorInfo(String name, int elementType, Shape dims, List<String> symbols) {
  public static final int NOT_A_TENSOR = -1;

  public OrtTensorInfo {
    symbols = List.copyOf(symbols);
  }
}
