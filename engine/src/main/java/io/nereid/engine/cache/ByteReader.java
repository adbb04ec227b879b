package io.nereid.engine.cache;

import io.nereid.request.Parameter;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * Reads what a {@link ByteWriter} has written, from the memory of an entry. The memory is that of
 * another cache perhaps, so nothing is allocated for a number that the bytes behind it cannot
 * confirm.
 */
final class ByteReader {
  // The kinds of parameters.
  static final int STRING = 0;
  static final int LONG = 1;
  static final int BOOLEAN = 2;
  static final int DOUBLE = 3;

  private final MemorySegment bytes;
  private long position;

  ByteReader(MemorySegment bytes) {
    this.bytes = bytes;
  }

  long number() {
    long value = bytes.get(Elements.LONG, position);
    position += Long.BYTES;
    return value;
  }

  /**
   * The number of things that follow.
   *
   * @throws IllegalStateException if there is no room for them: each begins with a {@link #number}
   */
  int count() {
    long count = number();
    if (count < 0 || count > (bytes.byteSize() - position) / Long.BYTES) {
      throw new IllegalStateException("an entry has no room for the %d it counts".formatted(count));
    }
    return (int) count;
  }

  String text() {
    long length = number();
    byte[] utf8 = bytes.asSlice(position, length).toArray(ValueLayout.JAVA_BYTE);
    position += length;
    return new String(utf8, StandardCharsets.UTF_8);
  }

  /** All of a tensor but its bytes; the memory that has them is a slice of {@code data}. */
  Tensor tensor(MemorySegment data, long offset) {
    String name = text();
    DataType type = DataType.valueOf(text());
    long[] dims = new long[count()];
    for (int i = 0; i < dims.length; i++) {
      dims[i] = number();
    }
    var tensor = new Tensor(name, type, Shape.of(dims), data.asSlice(offset, number()));
    if (type.hasFixedSize()
        && tensor.byteSize()
            != Math.multiplyExact(tensor.shape().elementCount(), type.byteSize())) {
      throw new IllegalStateException("an entry has %s of another size".formatted(tensor));
    }
    return tensor;
  }

  Map<String, Parameter> parameters() {
    int count = count();
    if (count == 0) {
      return Map.of();
    }
    Map<String, Parameter> parameters = new HashMap<>();
    for (int i = 0; i < count; i++) {
      parameters.put(text(), parameter());
    }
    return Map.copyOf(parameters);
  }

  private Parameter parameter() {
    int kind = Math.toIntExact(number());
    return switch (kind) {
      case STRING -> new Parameter.OfString(text());
      case LONG -> new Parameter.OfLong(number());
      case BOOLEAN -> new Parameter.OfBoolean(number() != 0);
      case DOUBLE -> new Parameter.OfDouble(Double.longBitsToDouble(number()));
      default -> throw new IllegalStateException("an entry has a parameter of no kind: " + kind);
    };
  }
}
