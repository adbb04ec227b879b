package io.nereid.java;

import io.nereid.error.InferenceException;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Tensors from arrays, and arrays from tensors; both ways copy. A tensor that is made here is in
 * the Java heap. {@code dims} are its dimensions, outermost first, as many elements as the array
 * has; an {@link IllegalArgumentException} says if not. What reads a tensor throws an INTERNAL
 * {@link InferenceException} if it has another type, or its memory is closed.
 */
public final class TensorArrays {
  private TensorArrays() {}

  /** An FP32 tensor. */
  public static Tensor of(String name, float[] values, long... dims) {
    MemorySegment data = heap(values.length, Float.BYTES);
    MemorySegment.copy(values, 0, data, Elements.FLOAT, 0, values.length);
    return tensor(name, DataType.FP32, values.length, data, dims);
  }

  /** An FP64 tensor. */
  public static Tensor of(String name, double[] values, long... dims) {
    MemorySegment data = heap(values.length, Double.BYTES);
    MemorySegment.copy(values, 0, data, Elements.DOUBLE, 0, values.length);
    return tensor(name, DataType.FP64, values.length, data, dims);
  }

  /** An INT32 tensor. */
  public static Tensor of(String name, int[] values, long... dims) {
    MemorySegment data = heap(values.length, Integer.BYTES);
    MemorySegment.copy(values, 0, data, Elements.INT, 0, values.length);
    return tensor(name, DataType.INT32, values.length, data, dims);
  }

  /** An INT64 tensor. */
  public static Tensor of(String name, long[] values, long... dims) {
    MemorySegment data = heap(values.length, Long.BYTES);
    MemorySegment.copy(values, 0, data, Elements.LONG, 0, values.length);
    return tensor(name, DataType.INT64, values.length, data, dims);
  }

  /** An INT16 tensor. */
  public static Tensor of(String name, short[] values, long... dims) {
    MemorySegment data = heap(values.length, Short.BYTES);
    MemorySegment.copy(values, 0, data, Elements.SHORT, 0, values.length);
    return tensor(name, DataType.INT16, values.length, data, dims);
  }

  /** A BOOL tensor. */
  public static Tensor of(String name, boolean[] values, long... dims) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) (values[i] ? 1 : 0);
    }
    return tensor(name, DataType.BOOL, values.length, MemorySegment.ofArray(bytes), dims);
  }

  /**
   * A tensor of FP16 or BF16, each value rounded to the nearest, ties to even; or of FP32.
   *
   * @throws IllegalArgumentException for another type
   */
  public static Tensor of(String name, DataType type, float[] values, long... dims) {
    return switch (type) {
      case FP32 -> of(name, values, dims);
      case FP16, BF16 -> {
        MemorySegment data = heap(values.length, Short.BYTES);
        for (int i = 0; i < values.length; i++) {
          short half = type == DataType.FP16 ? Float.floatToFloat16(values[i]) : bf16(values[i]);
          data.setAtIndex(Elements.SHORT, i, half);
        }
        yield tensor(name, type, values.length, data, dims);
      }
      default ->
          throw new IllegalArgumentException(
              "tensor '%s' of %s is not made of a float[]".formatted(name, type));
    };
  }

  private static short bf16(float value) {
    int bits = Float.floatToRawIntBits(value);
    if (Float.isNaN(value)) {
      return (short) ((bits >>> 16) | 0x40); // quiet
    }
    int odd = (bits >>> 16) & 1;
    return (short) ((bits + 0x7fff + odd) >>> 16);
  }

  /** A UINT8 tensor, such as an image. */
  public static Tensor of(String name, byte[] values, long... dims) {
    MemorySegment data = MemorySegment.ofArray(values.clone());
    return tensor(name, DataType.UINT8, values.length, data, dims);
  }

  /** A BYTES tensor of texts in UTF-8. */
  public static Tensor of(String name, List<String> values, long... dims) {
    List<byte[]> elements =
        values.stream().map(value -> value.getBytes(StandardCharsets.UTF_8)).toList();
    MemorySegment data = heap(BytesElements.byteSize(elements), 1);
    long at = 0;
    for (byte[] element : elements) {
      at = BytesElements.put(data, at, element);
    }
    return tensor(name, DataType.BYTES, values.size(), data, dims);
  }

  private static MemorySegment heap(long count, int byteSize) {
    return MemorySegment.ofArray(new byte[Math.toIntExact(Math.multiplyExact(count, byteSize))]);
  }

  private static Tensor tensor(
      String name, DataType type, int count, MemorySegment data, long... dims) {
    Shape shape = Shape.of(dims);
    if (!shape.isConcrete()) {
      throw new IllegalArgumentException(
          "tensor '%s' has shape %s, expected dimensions that are not negative"
              .formatted(name, shape));
    }
    if (shape.elementCount() != count) {
      throw new IllegalArgumentException(
          "tensor '%s' of shape %s has %d elements, but the array has %d"
              .formatted(name, shape, shape.elementCount(), count));
    }
    return new Tensor(name, type, shape, data);
  }

  /** The elements of an FP32 tensor; those of FP16 and BF16 exactly, as {@code float}. */
  public static float[] floats(Tensor tensor) {
    MemorySegment data = check(tensor, DataType.FP32, DataType.FP16, DataType.BF16).data();
    if (tensor.dataType() == DataType.FP32) {
      return data.toArray(Elements.FLOAT);
    }
    short[] halves = data.toArray(Elements.SHORT);
    float[] values = new float[halves.length];
    for (int i = 0; i < values.length; i++) {
      values[i] =
          tensor.dataType() == DataType.FP16
              ? Float.float16ToFloat(halves[i])
              : Float.intBitsToFloat(halves[i] << 16);
    }
    return values;
  }

  /** The elements of an FP64 tensor. */
  public static double[] doubles(Tensor tensor) {
    return check(tensor, DataType.FP64).data().toArray(Elements.DOUBLE);
  }

  /** The elements of an INT32 tensor. */
  public static int[] ints(Tensor tensor) {
    return check(tensor, DataType.INT32).data().toArray(Elements.INT);
  }

  /** The elements of an INT64 tensor. */
  public static long[] longs(Tensor tensor) {
    return check(tensor, DataType.INT64).data().toArray(Elements.LONG);
  }

  /** The elements of an INT16 tensor. */
  public static short[] shorts(Tensor tensor) {
    return check(tensor, DataType.INT16).data().toArray(Elements.SHORT);
  }

  /** The elements of a BOOL tensor. */
  public static boolean[] booleans(Tensor tensor) {
    byte[] bytes = check(tensor, DataType.BOOL).data().toArray(Elements.BYTE);
    boolean[] values = new boolean[bytes.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = bytes[i] != 0;
    }
    return values;
  }

  /** The elements of a tensor of BOOL, UINT8 or INT8. */
  public static byte[] bytes(Tensor tensor) {
    return check(tensor, DataType.UINT8, DataType.INT8, DataType.BOOL)
        .data()
        .toArray(Elements.BYTE);
  }

  /** The elements of a BYTES tensor, as UTF-8. */
  public static List<String> strings(Tensor tensor) {
    MemorySegment data = check(tensor, DataType.BYTES).data();
    List<String> texts = new ArrayList<>();
    BytesElements.forEach(
        data,
        (offset, byteSize) ->
            texts.add(
                new String(
                    data.asSlice(offset, byteSize).toArray(Elements.BYTE),
                    StandardCharsets.UTF_8)));
    return texts;
  }

  private static Tensor check(Tensor tensor, DataType... types) {
    requireOpen(tensor);
    if (!List.of(types).contains(tensor.dataType())) {
      throw InferenceException.internal(
          "tensor '%s' has type %s, not %s"
              .formatted(tensor.name(), tensor.dataType(), List.of(types)));
    }
    return tensor;
  }

  static void requireOpen(Tensor tensor) {
    if (!tensor.data().scope().isAlive()) {
      throw InferenceException.internal(
          "tensor '%s' is read too late: its response is closed, or its request has ended"
              .formatted(tensor.name()));
    }
  }
}
