package io.nereid.server.telemetry.trace;

import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.StringJoiner;
import java.util.function.LongFunction;

/** The elements and the shape of a tensor as Triton's traces have them, separated by commas. */
final class TensorText {
  private TensorText() {}

  static String shape(Tensor tensor) {
    var text = new StringJoiner(",");
    for (long dim : tensor.shape().dims()) {
      text.add(Long.toString(dim));
    }
    return text.toString();
  }

  /** Strings are quoted. Empty for FP16 and BF16, as in Triton. */
  static String data(Tensor tensor) {
    MemorySegment data = tensor.data();
    return switch (tensor.dataType()) {
      case BOOL -> join(data, 1, at -> data.get(Elements.BYTE, at) == 0 ? "0" : "1");
      case UINT8 -> join(data, 1, at -> Integer.toString(data.get(Elements.BYTE, at) & 0xFF));
      case INT8 -> join(data, 1, at -> Byte.toString(data.get(Elements.BYTE, at)));
      case UINT16 -> join(data, 2, at -> Integer.toString(data.get(Elements.SHORT, at) & 0xFFFF));
      case INT16 -> join(data, 2, at -> Short.toString(data.get(Elements.SHORT, at)));
      case UINT32 -> join(data, 4, at -> Integer.toUnsignedString(data.get(Elements.INT, at)));
      case INT32 -> join(data, 4, at -> Integer.toString(data.get(Elements.INT, at)));
      case UINT64 -> join(data, 8, at -> Long.toUnsignedString(data.get(Elements.LONG, at)));
      case INT64 -> join(data, 8, at -> Long.toString(data.get(Elements.LONG, at)));
      case FP16, BF16 -> "";
      case FP32 -> join(data, 4, at -> Float.toString(data.get(Elements.FLOAT, at)));
      case FP64 -> join(data, 8, at -> Double.toString(data.get(Elements.DOUBLE, at)));
      case BYTES -> strings(data);
    };
  }

  private static String join(MemorySegment data, int byteSize, LongFunction<String> element) {
    var text = new StringJoiner(",");
    for (long at = 0; at + byteSize <= data.byteSize(); at += byteSize) {
      text.add(element.apply(at));
    }
    return text.toString();
  }

  private static String strings(MemorySegment data) {
    var text = new StringJoiner(",");
    long at = 0;
    while (at + Integer.BYTES <= data.byteSize()) {
      long length = Integer.toUnsignedLong(data.get(Elements.INT, at));
      at += Integer.BYTES;
      if (length > data.byteSize() - at) {
        break;
      }
      byte[] bytes = data.asSlice(at, length).toArray(Elements.BYTE);
      text.add('"' + new String(bytes, StandardCharsets.UTF_8) + '"');
      at += length;
    }
    return text.toString();
  }
}
