package io.nereid.server.codec.json;

import io.nereid.error.InferenceException;
import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.DecimalDigits;
import io.nereid.server.codec.FloatDigits;
import io.nereid.server.codec.json.document.JsonText;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/** A writer of a tensor's elements as JSON: a flat array, or a value. */
final class JsonDataWriter {
  /** The number of elements for which room is reserved at once. */
  private static final int STEP = 64;

  private static final int MAX_ELEMENT = FloatDigits.MAX_LENGTH + 1;

  private JsonDataWriter() {}

  /** Writes {@code [e,e,...]}. */
  static void put(ByteSink sink, Tensor output) {
    sink.put('[');
    putElements(sink, output);
    sink.put(']');
  }

  /** Writes {@code e} if the tensor has one element, else {@code [e,e,...]}. */
  static void putUnwrapped(ByteSink sink, Tensor output) {
    if (output.shape().elementCount() == 1) {
      putElements(sink, output);
    } else {
      put(sink, output);
    }
  }

  /** Writes {@code e,e,...}. */
  private static void putElements(ByteSink sink, Tensor output) {
    if (output.dataType() == DataType.FP16 || output.dataType() == DataType.BF16) {
      throw InferenceException.invalid(
          ("sending %s data via JSON is not supported. Please use the binary data format for"
                  + " output")
              .formatted(output.dataType()));
    }
    long count = output.shape().elementCount();
    if (output.dataType() == DataType.BYTES) {
      putStrings(sink, output, count);
      return;
    }
    if (output.byteSize() != count * output.dataType().byteSize()) {
      throw sizeMismatch(output);
    }
    for (long from = 0; from < count; from += STEP) {
      int step = (int) Math.min(STEP, count - from);
      byte[] target = sink.reserve((long) step * MAX_ELEMENT);
      sink.fillTo(putElements(target, sink.size(), output, from, from + step));
    }
    dropLastComma(sink, count);
  }

  private static int putElements(byte[] target, int at, Tensor output, long from, long to) {
    MemorySegment data = output.data();
    int next = at;
    for (long i = from; i < to; i++) {
      next =
          switch (output.dataType()) {
            case FP32 -> FloatDigits.put(target, next, data.get(Elements.FLOAT, i * Float.BYTES));
            case FP64 -> FloatDigits.put(target, next, data.get(Elements.DOUBLE, i * Double.BYTES));
            case INT64 -> DecimalDigits.putLong(target, next, data.get(Elements.LONG, i * 8));
            case UINT64 ->
                DecimalDigits.putUnsignedLong(target, next, data.get(Elements.LONG, i * 8));
            case INT32 -> DecimalDigits.putLong(target, next, data.get(Elements.INT, i * 4));
            case UINT32 ->
                DecimalDigits.putLong(
                    target, next, Integer.toUnsignedLong(data.get(Elements.INT, i * 4)));
            case INT16 -> DecimalDigits.putLong(target, next, data.get(Elements.SHORT, i * 2));
            case UINT16 ->
                DecimalDigits.putLong(
                    target, next, Short.toUnsignedInt(data.get(Elements.SHORT, i * 2)));
            case INT8 -> DecimalDigits.putLong(target, next, data.get(Elements.BYTE, i));
            case UINT8 ->
                DecimalDigits.putLong(target, next, Byte.toUnsignedInt(data.get(Elements.BYTE, i)));
            case BOOL -> putBoolean(target, next, data.get(Elements.BYTE, i) != 0);
            case BYTES, FP16, BF16 -> throw new AssertionError(output.dataType());
          };
      target[next++] = ',';
    }
    return next;
  }

  private static int putBoolean(byte[] target, int at, boolean value) {
    String word = value ? "true" : "false";
    for (int i = 0; i < word.length(); i++) {
      target[at + i] = (byte) word.charAt(i);
    }
    return at + word.length();
  }

  private static void putStrings(ByteSink sink, Tensor output, long count) {
    long written;
    try {
      written =
          BytesElements.forEach(
              output.data(),
              (offset, byteSize) -> {
                JsonText.putString(sink, output.data(), offset, byteSize);
                sink.put(',');
              });
    } catch (IllegalArgumentException _) {
      throw sizeMismatch(output);
    }
    if (written != count) {
      throw sizeMismatch(output);
    }
    dropLastComma(sink, count);
  }

  private static void dropLastComma(ByteSink sink, long count) {
    if (count > 0) {
      sink.fillTo(sink.size() - 1);
    }
  }

  private static InferenceException sizeMismatch(Tensor output) {
    return InferenceException.internal(
        ("Failed to write 'data' field: output tensor shape does not match size of output for"
                + " '%s'")
            .formatted(output.name()));
  }
}
