package io.nereid.onnx;

import io.nereid.onnx.ort.OrtTensorInfo;
import io.nereid.tensor.DataType;
import java.util.Optional;

/** Conversions between {@code ONNXTensorElementDataType} and {@link DataType}. */
final class OnnxTypes {
  /** The names of the C enumeration's constants, at the index of their values. */
  private static final String[] NAMES = {
    "UNDEFINED",
    "FLOAT",
    "UINT8",
    "INT8",
    "UINT16",
    "INT16",
    "INT32",
    "INT64",
    "STRING",
    "BOOL",
    "FLOAT16",
    "DOUBLE",
    "UINT32",
    "UINT64",
    "COMPLEX64",
    "COMPLEX128",
    "BFLOAT16"
  };

  private OnnxTypes() {}

  /** The type of an element; empty for complex, packed 4-bit and 8-bit float elements. */
  static Optional<DataType> dataType(int elementType) {
    return Optional.ofNullable(
        switch (elementType) {
          case 1 -> DataType.FP32;
          case 2 -> DataType.UINT8;
          case 3 -> DataType.INT8;
          case 4 -> DataType.UINT16;
          case 5 -> DataType.INT16;
          case 6 -> DataType.INT32;
          case 7 -> DataType.INT64;
          case 8 -> DataType.BYTES;
          case 9 -> DataType.BOOL;
          case 10 -> DataType.FP16;
          case 11 -> DataType.FP64;
          case 12 -> DataType.UINT32;
          case 13 -> DataType.UINT64;
          case 16 -> DataType.BF16;
          default -> null;
        });
  }

  /** The {@code ONNXTensorElementDataType} of a type. */
  static int elementType(DataType type) {
    return switch (type) {
      case FP32 -> 1;
      case UINT8 -> 2;
      case INT8 -> 3;
      case UINT16 -> 4;
      case INT16 -> 5;
      case INT32 -> 6;
      case INT64 -> 7;
      case BYTES -> 8;
      case BOOL -> 9;
      case FP16 -> 10;
      case FP64 -> 11;
      case UINT32 -> 12;
      case UINT64 -> 13;
      case BF16 -> 16;
    };
  }

  /** The name of an element type, for messages. */
  static String describe(int elementType) {
    if (elementType == OrtTensorInfo.NOT_A_TENSOR) {
      return "no tensor";
    }
    return dataType(elementType)
        .map(DataType::configName)
        .orElseGet(() -> elementType < NAMES.length ? NAMES[elementType] : "type " + elementType);
  }
}
