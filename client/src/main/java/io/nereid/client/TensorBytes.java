package io.nereid.client;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** TensorBytes of tensors to and from little-endian bytes, where that is more than a bulk copy. */
final class TensorBytes {
  private static final int LENGTH_PREFIX = Integer.BYTES;

  private TensorBytes() {}

  /** Little-endian memory for so many elements of a fixed size. */
  static ByteBuffer allocate(int count, DataType dataType) {
    return allocate((long) count * dataType.byteSize());
  }

  private static ByteBuffer allocate(long byteSize) {
    if (byteSize > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException("a tensor of %d bytes is too large".formatted(byteSize));
    }
    return ByteBuffer.allocate((int) byteSize).order(ByteOrder.LITTLE_ENDIAN);
  }

  static ByteBuffer write(boolean[] values) {
    ByteBuffer data = allocate(values.length);
    for (boolean value : values) {
      data.put((byte) (value ? 1 : 0));
    }
    return data.flip();
  }

  static ByteBuffer write(byte[][] strings) {
    long size = (long) LENGTH_PREFIX * strings.length;
    for (byte[] each : strings) {
      size += each.length;
    }
    ByteBuffer data = allocate(size);
    for (byte[] each : strings) {
      data.putInt(each.length).put(each);
    }
    return data.flip();
  }

  /** {@code dataType}: FP16 or BF16. */
  static ByteBuffer write(DataType dataType, float[] values) {
    ByteBuffer data = allocate(values.length, dataType);
    for (float value : values) {
      data.putShort(
          dataType == DataType.FP16 ? HalfFloats.toFp16(value) : HalfFloats.toBf16(value));
    }
    return data.flip();
  }

  /** {@code dataType}: FP16 or BF16. */
  static float[] readHalfFloats(DataType dataType, ByteBuffer data) {
    float[] values = new float[data.remaining() / Short.BYTES];
    for (int i = 0; i < values.length; i++) {
      short bits = data.getShort(i * Short.BYTES);
      values[i] = dataType == DataType.FP16 ? HalfFloats.ofFp16(bits) : HalfFloats.ofBf16(bits);
    }
    return values;
  }

  /** Refuses a buffer whose values were put in as Java does by default. */
  static void requireOrder(DataType dataType, ByteBuffer data) {
    if (dataType.byteSize() > 1 && data.order() != ByteOrder.LITTLE_ENDIAN) {
      throw new IllegalArgumentException(
          ("a tensor of %s is little-endian, and the order of its buffer is BIG_ENDIAN, Java's default:"
                  + " call order(ByteOrder.LITTLE_ENDIAN) before values are put into it")
              .formatted(dataType));
    }
  }

  /** What is wrong with bytes for a shape, or null. */
  static @Nullable String mistake(DataType dataType, ByteBuffer data, long[] shape) {
    long elements = count(shape);
    long actual =
        dataType == DataType.BYTES ? countStrings(data) : data.remaining() / dataType.byteSize();
    boolean whole = dataType == DataType.BYTES || data.remaining() % dataType.byteSize() == 0;
    if (actual == elements && whole) {
      return null;
    }
    return "a tensor of %s of shape %s has %d elements, and %d bytes are %s"
        .formatted(
            dataType,
            Arrays.toString(shape),
            elements,
            data.remaining(),
            actual < 0 || !whole ? "no whole number of them" : actual + " of them");
  }

  /** How many elements a shape has. */
  static long count(long[] shape) {
    long count = 1;
    for (long dimension : shape) {
      if (dimension < 0) {
        throw new IllegalArgumentException(
            "a dimension is negative in the shape " + Arrays.toString(shape));
      }
      count = Math.multiplyExact(count, dimension);
    }
    return count;
  }

  /** How many strings a little-endian buffer has; -1 if its last one is cut. */
  static long countStrings(ByteBuffer data) {
    int end = data.limit();
    int at = data.position();
    long count = 0;
    while (at < end) {
      if (end - at < LENGTH_PREFIX) {
        return -1;
      }
      int length = data.getInt(at);
      at += LENGTH_PREFIX;
      if (length < 0 || length > end - at) {
        return -1;
      }
      at += length;
      count++;
    }
    return count;
  }

  /** The strings of a little-endian buffer, which were counted. */
  static byte[][] readStrings(ByteBuffer data, int count) {
    byte[][] values = new byte[count][];
    int at = data.position();
    for (int i = 0; i < count; i++) {
      values[i] = new byte[data.getInt(at)];
      data.get(at + LENGTH_PREFIX, values[i]);
      at += LENGTH_PREFIX + values[i].length;
    }
    return values;
  }
}
