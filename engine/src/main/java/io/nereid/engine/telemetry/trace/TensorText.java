package io.nereid.engine.telemetry.trace;

import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.StringJoiner;
import java.util.function.LongFunction;
import java.util.stream.Collectors;

/**
 * The elements and the shape of a tensor as Triton's traces have them, separated by commas. Behind
 * the elements of a tensor that has more, and behind a long string's first bytes, are three dots.
 */
final class TensorText {
  /** The bytes of a string that are recorded. */
  private static final int MAX_STRING = 1000;

  private static final String MORE = "...";

  private TensorText() {}

  static String shape(Tensor tensor) {
    return Arrays.stream(tensor.shape().dims())
        .mapToObj(Long::toString)
        .collect(Collectors.joining(","));
  }

  /** The first elements. Strings are quoted. Empty for FP16 and BF16, as in Triton. */
  static String data(Tensor tensor, int max) {
    MemorySegment data = tensor.data();
    return switch (tensor.dataType()) {
      case BOOL -> join(data, 1, max, at -> data.get(Elements.BYTE, at) == 0 ? "0" : "1");
      case UINT8 -> join(data, 1, max, at -> Integer.toString(data.get(Elements.BYTE, at) & 0xFF));
      case INT8 -> join(data, 1, max, at -> Byte.toString(data.get(Elements.BYTE, at)));
      case UINT16 ->
          join(data, 2, max, at -> Integer.toString(data.get(Elements.SHORT, at) & 0xFFFF));
      case INT16 -> join(data, 2, max, at -> Short.toString(data.get(Elements.SHORT, at)));
      case UINT32 -> join(data, 4, max, at -> Integer.toUnsignedString(data.get(Elements.INT, at)));
      case INT32 -> join(data, 4, max, at -> Integer.toString(data.get(Elements.INT, at)));
      case UINT64 -> join(data, 8, max, at -> Long.toUnsignedString(data.get(Elements.LONG, at)));
      case INT64 -> join(data, 8, max, at -> Long.toString(data.get(Elements.LONG, at)));
      case FP16, BF16 -> "";
      case FP32 -> join(data, 4, max, at -> Float.toString(data.get(Elements.FLOAT, at)));
      case FP64 -> join(data, 8, max, at -> Double.toString(data.get(Elements.DOUBLE, at)));
      case BYTES -> strings(data, max);
    };
  }

  private static String join(
      MemorySegment data, int byteSize, int max, LongFunction<String> element) {
    var text = new StringJoiner(",");
    for (long at = 0; at + byteSize <= data.byteSize(); at += byteSize) {
      if (at == (long) max * byteSize) {
        return text.add(MORE).toString();
      }
      text.add(element.apply(at));
    }
    return text.toString();
  }

  private static String strings(MemorySegment data, int max) {
    var text = new StringJoiner(",");
    long at = 0;
    for (int i = 0; at + Integer.BYTES <= data.byteSize(); i++) {
      if (i == max) {
        return text.add(MORE).toString();
      }
      long length = Integer.toUnsignedLong(data.get(Elements.INT, at));
      at += Integer.BYTES;
      if (length > data.byteSize() - at) {
        break;
      }
      byte[] bytes = data.asSlice(at, Math.min(length, MAX_STRING)).toArray(Elements.BYTE);
      String more = length > MAX_STRING ? MORE : "";
      text.add('"' + new String(bytes, StandardCharsets.UTF_8) + more + '"');
      at += length;
    }
    return text.toString();
  }
}
