package io.nereid.onnx;

import io.nereid.onnx.ort.OrtTensorInfo;
import io.nereid.tensor.DataType;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Conversions between {@code ONNXTensorElementDataType} and {@link DataType}. */
final class OnnxTypes {
  /** The types at the index of their {@code ONNXTensorElementDataType}; null if there is none. */
  private static final @Nullable DataType[] TYPES = {
    null,
    DataType.FP32,
    DataType.UINT8,
    DataType.INT8,
    DataType.UINT16,
    DataType.INT16,
    DataType.INT32,
    DataType.INT64,
    DataType.BYTES,
    DataType.BOOL,
    DataType.FP16,
    DataType.FP64,
    DataType.UINT32,
    DataType.UINT64,
    null,
    null,
    DataType.BF16
  };

  /** The names of types in {@link #TYPES} that are null. */
  private static final Map<Integer, String> UNSUPPORTED =
      Map.of(0, "UNDEFINED", 14, "COMPLEX64", 15, "COMPLEX128");

  private OnnxTypes() {}

  /** The type of an element; empty for complex, packed 4-bit and 8-bit float elements. */
  static Optional<DataType> dataType(int elementType) {
    return elementType >= 0 && elementType < TYPES.length
        ? Optional.ofNullable(TYPES[elementType])
        : Optional.empty();
  }

  /** The {@code ONNXTensorElementDataType} of a type. */
  static int elementType(DataType type) {
    for (int i = 0; i < TYPES.length; i++) {
      if (TYPES[i] == type) {
        return i;
      }
    }
    throw new AssertionError(type);
  }

  /** The name of an element type, for messages. */
  static String describe(int elementType) {
    if (elementType == OrtTensorInfo.NOT_A_TENSOR) {
      return "no tensor";
    }
    return dataType(elementType)
        .map(DataType::configName)
        .orElseGet(() -> UNSUPPORTED.getOrDefault(elementType, "type " + elementType));
  }
}
