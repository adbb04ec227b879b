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

/** A writer of a tensor's elements as JSON. */
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

  /** Writes {@code e,e,...}. */
  private static void putElements(ByteSink sink, Tensor output) {
    requireText(output);
    long count = output.shape().elementCount();
    if (output.dataType() == DataType.BYTES) {
      putStrings(sink, output, count);
      return;
    }
    requireSize(output, count);
    long next = 0;
    while (next < count) {
      next = putStep(sink, output, next, count);
    }
  }

  /**
   * Writes some of the elements of a tensor of fixed size, with commas between them.
   *
   * @param from the first of them, below {@code count}
   * @return the first element that is left, or {@code count}
   */
  static long putStep(ByteSink sink, Tensor output, long from, long count) {
    int step = (int) Math.min(STEP, count - from);
    byte[] target = sink.reserve((long) step * MAX_ELEMENT);
    int end = putElements(target, sink.size(), output, from, from + step);
    long next = from + step;
    sink.fillTo(next == count ? end - 1 : end); // without the last comma
    return next;
  }

  /**
   * Checks that a tensor can be written.
   *
   * @throws InferenceException INVALID_ARGUMENT if its type has no JSON form, INTERNAL if its bytes
   *     do not fit its shape
   */
  static void check(Tensor output) {
    requireText(output);
    long count = output.shape().elementCount();
    if (output.dataType() == DataType.BYTES) {
      forEachString(output, count, (_, _) -> {});
    } else {
      requireSize(output, count);
    }
  }

  private static void requireText(Tensor output) {
    if (output.dataType() == DataType.FP16 || output.dataType() == DataType.BF16) {
      throw InferenceException.invalid(
          ("sending %s data via JSON is not supported. Please use the binary data format for"
                  + " output")
              .formatted(output.dataType()));
    }
  }

  private static void requireSize(Tensor output, long count) {
    if (output.byteSize() != count * output.dataType().byteSize()) {
      throw sizeMismatch(output);
    }
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
            case BOOL ->
                ByteSink.putAscii(target, next, data.get(Elements.BYTE, i) != 0 ? "true" : "false");
            case BYTES, FP16, BF16 -> throw new AssertionError(output.dataType());
          };
      target[next++] = ',';
    }
    return next;
  }

  private static void putStrings(ByteSink sink, Tensor output, long count) {
    forEachString(
        output,
        count,
        (offset, byteSize) -> {
          JsonText.putString(sink, output.data(), offset, byteSize);
          sink.put(',');
        });
    if (count > 0) {
      sink.fillTo(sink.size() - 1);
    }
  }

  private static void forEachString(Tensor output, long count, BytesElements.Visitor visitor) {
    long visited;
    try {
      visited = BytesElements.forEach(output.data(), visitor);
    } catch (IllegalArgumentException _) {
      throw sizeMismatch(output);
    }
    if (visited != count) {
      throw sizeMismatch(output);
    }
  }

  private static InferenceException sizeMismatch(Tensor output) {
    return InferenceException.internal(
        ("Failed to write 'data' field: output tensor shape does not match size of output for"
                + " '%s'")
            .formatted(output.name()));
  }
}
