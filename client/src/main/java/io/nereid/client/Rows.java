package io.nereid.client;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Tensors of rows, which are arrays or lists, and back.
 *
 * <pre>{@code
 * Tensor table = Rows.tensor(new float[][] {{1, 2}, {3, 4}, {5, 6}}); // FP32[3, 2]
 * float[][] again = Rows.arrays(table, float[][].class);
 * }</pre>
 *
 * <p>{@link Columns} is for rows that are records.
 */
public final class Rows {
  private static final Map<Class<?>, DataType> DATA_TYPES =
      Map.of(
          float.class, DataType.FP32,
          double.class, DataType.FP64,
          int.class, DataType.INT32,
          long.class, DataType.INT64,
          short.class, DataType.INT16,
          byte.class, DataType.INT8,
          boolean.class, DataType.BOOL,
          String.class, DataType.BYTES);

  /** Of what lists have, what is not a {@code String}. */
  private static final Map<Class<?>, Class<?>> BOXES =
      Map.of(
          Float.class, float.class,
          Double.class, double.class,
          Integer.class, int.class,
          Long.class, long.class,
          Short.class, short.class,
          Byte.class, byte.class,
          Boolean.class, boolean.class);

  private final int[] shape;
  private final Class<?> elementType;

  /** All elements in row-major order: an array of the element type. */
  private final Object values;

  /** Where the copy is. */
  private final int[] path;

  private int copied;

  private Rows(int[] shape, Class<?> elementType) {
    this.shape = shape;
    this.elementType = elementType;
    path = new int[shape.length];
    values = Array.newInstance(elementType, Math.toIntExact(count(shape)));
  }

  private static long count(int[] shape) {
    long count = 1;
    for (int dimension : shape) {
      count = Math.multiplyExact(count, dimension);
    }
    return count;
  }

  /** The type without its box. */
  static Class<?> elementType(Class<?> type) {
    return BOXES.getOrDefault(type, type);
  }

  /** Whether tensors have elements of that type. */
  static boolean isElement(Class<?> type) {
    return DATA_TYPES.containsKey(type);
  }

  /**
   * A tensor of all elements, with as many dimensions as the rows have.
   *
   * @param rows arrays or lists of such, of one length in each dimension; in the last, {@code
   *     float} for {@link DataType#FP32}, {@code double}, {@code int}, {@code long}, {@code short},
   *     {@code byte}, {@code boolean}, or {@code String}. Copied
   * @throws IllegalArgumentException if two rows differ in their length, or if there is no element
   */
  public static Tensor tensor(Object rows) {
    return tensor(null, rows);
  }

  /**
   * As {@link #tensor(Object)}, of another data type of the same elements.
   *
   * @param dataType such as {@link DataType#FP16} for rows of {@code float}; null for their own
   */
  public static Tensor tensor(@Nullable DataType dataType, Object rows) {
    Rows nested = measured(rows);
    nested.copy(rows, 0);
    long[] shape = Arrays.stream(nested.shape).asLongStream().toArray();
    return tensor(dataType, nested.elementType, nested.values, shape);
  }

  private static Tensor tensor(
      @Nullable DataType asked, Class<?> elementType, Object values, long[] shape) {
    DataType own = Objects.requireNonNull(DATA_TYPES.get(elementType));
    DataType dataType = asked == null ? own : asked;
    if (values instanceof float[] floats) {
      return Tensor.of(dataType, floats, shape);
    }
    if (values instanceof int[] ints) {
      return Tensor.of(dataType, ints, shape);
    }
    if (values instanceof long[] longs) {
      return Tensor.of(dataType, longs, shape);
    }
    if (values instanceof short[] shorts) {
      return Tensor.of(dataType, shorts, shape);
    }
    if (values instanceof byte[] bytes) {
      return Tensor.of(dataType, bytes, shape);
    }
    if (dataType != own) {
      throw new IllegalArgumentException(
          "%s is not made of %s".formatted(dataType, elementType.getSimpleName()));
    }
    if (values instanceof double[] doubles) {
      return Tensor.of(doubles, shape);
    }
    return values instanceof boolean[] booleans
        ? Tensor.of(booleans, shape)
        : Tensor.of((String[]) values, shape);
  }

  /** Takes shape and type from the first row, and the first of its rows. */
  private static Rows measured(Object rows) {
    if (!isNested(rows)) {
      throw new IllegalArgumentException("rows are arrays or lists, and not " + described(rows));
    }
    List<Integer> shape = new ArrayList<>();
    Object first = rows;
    while (first != null && isNested(first)) {
      int length = length(first);
      shape.add(length);
      if (first.getClass().isArray() && first.getClass().getComponentType().isPrimitive()) {
        return new Rows(ints(shape), first.getClass().getComponentType());
      }
      if (length == 0) {
        throw new IllegalArgumentException(
            "rows without an element have no shape: Tensor.of takes one");
      }
      first = get(first, 0);
    }
    Class<?> type = first == null ? Void.class : elementType(first.getClass());
    if (!DATA_TYPES.containsKey(type)) {
      throw new IllegalArgumentException(
          "the first element is %s, and must be a number, a boolean or a string"
              .formatted(described(first)));
    }
    return new Rows(ints(shape), type);
  }

  private static int[] ints(List<Integer> shape) {
    return shape.stream().mapToInt(Integer::intValue).toArray();
  }

  private static boolean isNested(@Nullable Object node) {
    return node instanceof List<?> || (node != null && node.getClass().isArray());
  }

  private static int length(Object node) {
    return node instanceof List<?> list ? list.size() : Array.getLength(node);
  }

  private static @Nullable Object get(Object node, int index) {
    return node instanceof List<?> list ? list.get(index) : Array.get(node, index);
  }

  private void copy(@Nullable Object node, int depth) {
    if (depth == shape.length) {
      if (node == null || elementType(node.getClass()) != elementType) {
        throw new IllegalArgumentException(
            "%s is %s, and the first element is of %s"
                .formatted(at(depth), described(node), elementType.getSimpleName()));
      }
      Array.set(values, copied++, node);
      return;
    }
    if (node == null || !isNested(node) || length(node) != shape[depth]) {
      throw new IllegalArgumentException(
          "%s is %s, and the first of its dimension has %d elements"
              .formatted(at(depth), described(node), shape[depth]));
    }
    if (depth == shape.length - 1 && node.getClass().getComponentType() == elementType) {
      System.arraycopy(node, 0, values, copied, shape[depth]);
      copied += shape[depth];
      return;
    }
    for (int i = 0; i < shape[depth]; i++) {
      path[depth] = i;
      copy(get(node, i), depth + 1);
    }
  }

  /** Such as {@code rows[3][1]}. */
  private String at(int depth) {
    StringBuilder text = new StringBuilder("rows");
    for (int i = 0; i < depth; i++) {
      text.append('[').append(path[i]).append(']');
    }
    return text.toString();
  }

  private static String described(@Nullable Object node) {
    if (node == null) {
      return "null";
    }
    String type = node.getClass().getSimpleName();
    return isNested(node) ? "a %s of %d elements".formatted(type, length(node)) : "a " + type;
  }

  /**
   * The elements of a tensor as arrays of arrays. A tensor without elements has no rows.
   *
   * @param type an array with as many dimensions as the tensor, such as {@code float[][].class}
   * @throws IllegalStateException if the tensor has another number of dimensions or other elements
   */
  public static <A> A arrays(Tensor tensor, Class<A> type) {
    long[] shape = tensor.shape();
    int depth = 0;
    Class<?> each = type;
    while (each.isArray()) {
      each = each.getComponentType();
      depth++;
    }
    if (depth != shape.length || depth == 0) {
      throw new IllegalStateException(
          "a tensor of %s is not read as %s, which has another number of dimensions"
              .formatted(tensor, type.getSimpleName()));
    }
    if (tensor.elementCount() == 0) {
      // its other dimensions may be of any size
      return type.cast(Array.newInstance(type.getComponentType(), 0));
    }
    return type.cast(arrays(type, values(tensor, each), shape, 0, 0));
  }

  private static Object arrays(Class<?> type, Object values, long[] shape, int depth, int from) {
    int length = (int) shape[depth];
    Object array = Array.newInstance(type.getComponentType(), length);
    if (depth == shape.length - 1) {
      System.arraycopy(values, from, array, 0, length);
      return array;
    }
    int size = 1;
    for (int i = depth + 1; i < shape.length; i++) {
      size *= (int) shape[i];
    }
    for (int i = 0; i < length; i++) {
      Array.set(
          array, i, arrays(type.getComponentType(), values, shape, depth + 1, from + i * size));
    }
    return array;
  }

  /** All elements of a tensor: an array of the element type. */
  static Object values(Tensor tensor, Class<?> elementType) {
    if (elementType == float.class) {
      return tensor.floats();
    }
    if (elementType == double.class) {
      return tensor.doubles();
    }
    if (elementType == int.class) {
      return tensor.ints();
    }
    if (elementType == long.class) {
      return tensor.longs();
    }
    if (elementType == short.class) {
      return tensor.shorts();
    }
    if (elementType == byte.class) {
      return tensor.byteValues();
    }
    if (elementType == boolean.class) {
      return tensor.booleans();
    }
    if (elementType == String.class) {
      return tensor.strings();
    }
    throw new IllegalStateException(
        "a tensor of %s is not read as %s".formatted(tensor, elementType.getSimpleName()));
  }
}
