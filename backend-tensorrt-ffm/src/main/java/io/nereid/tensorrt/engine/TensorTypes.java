package io.nereid.tensorrt.engine;

import io.nereid.tensor.DataType;
import java.util.List;

/**
 * What inputs and outputs of an engine may be: the element types of the protocol, in linear memory.
 * Anything else is refused with a sentence.
 */
final class TensorTypes {
  /** The names of {@code nvinfer1::TensorFormat}, by value. */
  private static final List<String> FORMATS =
      List.of(
          "LINEAR",
          "CHW2",
          "HWC8",
          "CHW4",
          "CHW16",
          "CHW32",
          "DHWC8",
          "CDHW32",
          "HWC",
          "DLA_LINEAR",
          "DLA_HWC4",
          "HWC16",
          "DHWC");

  private TensorTypes() {}

  /**
   * The element type for a value of {@code nvinfer1::DataType}.
   *
   * @throws TensorRtException if the protocol has no such type
   */
  static DataType dataType(int value, String tensor) {
    return switch (value) {
      case 0 -> DataType.FP32;
      case 1 -> DataType.FP16;
      case 2 -> DataType.INT8;
      case 3 -> DataType.INT32;
      case 4 -> DataType.BOOL;
      case 5 -> DataType.UINT8;
      case 6 -> throw refused(tensor, "FP8");
      case 7 -> DataType.BF16;
      case 8 -> DataType.INT64;
      case 9 -> throw refused(tensor, "INT4");
      case 10 -> throw refused(tensor, "FP4");
      case 11 -> throw refused(tensor, "E8M0");
      default -> throw refused(tensor, "number " + value);
    };
  }

  private static TensorRtException refused(String tensor, String type) {
    return new TensorRtException(
        ("tensor '%s' has type %s, which the protocol does not have; build the plan with a cast"
                + " to one of FP32, FP16, BF16, INT8, UINT8, INT32, INT64 and BOOL")
            .formatted(tensor, type));
  }

  /**
   * Checks a value of {@code nvinfer1::TensorFormat}.
   *
   * @throws TensorRtException if elements are vectorized, padded or in another order
   */
  static void requireLinear(int value, String tensor, int profile) {
    if (value != 0) {
      String format = value > 0 && value < FORMATS.size() ? FORMATS.get(value) : "number " + value;
      throw new TensorRtException(
          ("tensor '%s' has format %s in profile %d; only LINEAR is supported: build the plan with"
                  + " linear inputs and outputs, such as trtexec --inputIOFormats=fp32:chw"
                  + " --outputIOFormats=fp32:chw")
              .formatted(tensor, format, profile));
    }
  }
}
