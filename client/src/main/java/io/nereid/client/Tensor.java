package io.nereid.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A tensor: a data type, a shape, and its elements in row-major order, little-endian and packed, as
 * they travel. Immutable.
 *
 * <p>The factories that take an array copy it once: the caller may change it afterwards. {@link
 * #wrap} copies nothing. A shape that is left out is one dimension of all elements.
 *
 * <pre>{@code
 * Tensor a = Tensor.of(new float[] {1, 2, 3, 4, 5, 6}, 2, 3);
 * float[] again = a.floats();
 * }</pre>
 */
public final class Tensor {
  private final DataType dataType;
  private final long[] shape;
  private final @Nullable ByteBuffer data;
  private final @Nullable SharedRegion region;

  private Tensor(
      DataType dataType, long[] shape, @Nullable ByteBuffer data, @Nullable SharedRegion region) {
    this.dataType = dataType;
    this.shape = shape;
    this.data = data;
    this.region = region;
  }

  /** A tensor of {@link DataType#FP32}. */
  public static Tensor of(float[] values, long... shape) {
    return filled(DataType.FP32, values.length, shape, data -> data.asFloatBuffer().put(values));
  }

  /** A tensor of {@link DataType#FP64}. */
  public static Tensor of(double[] values, long... shape) {
    return filled(DataType.FP64, values.length, shape, data -> data.asDoubleBuffer().put(values));
  }

  /** A tensor of {@link DataType#INT32}. */
  public static Tensor of(int[] values, long... shape) {
    return of(DataType.INT32, values, shape);
  }

  /** A tensor of {@link DataType#INT64}. */
  public static Tensor of(long[] values, long... shape) {
    return of(DataType.INT64, values, shape);
  }

  /** A tensor of {@link DataType#INT16}. */
  public static Tensor of(short[] values, long... shape) {
    return of(DataType.INT16, values, shape);
  }

  /** A tensor of {@link DataType#INT8}. */
  public static Tensor of(byte[] values, long... shape) {
    return of(DataType.INT8, values, shape);
  }

  /** A tensor of {@link DataType#BOOL}. */
  public static Tensor of(boolean[] values, long... shape) {
    return owned(DataType.BOOL, TensorBytes.write(values), orFlat(shape, values.length));
  }

  /** A tensor of {@link DataType#BYTES}: strings in UTF-8. */
  public static Tensor of(String[] values, long... shape) {
    return of(
        Arrays.stream(values).map(value -> value.getBytes(UTF_8)).toArray(byte[][]::new), shape);
  }

  /** A tensor of {@link DataType#BYTES}: strings of any bytes. */
  public static Tensor of(byte[][] values, long... shape) {
    return owned(DataType.BYTES, TensorBytes.write(values), orFlat(shape, values.length));
  }

  /** A tensor of {@link DataType#INT32}, or of {@link DataType#UINT32} with the same bits. */
  public static Tensor of(DataType dataType, int[] values, long... shape) {
    require(dataType, "an int[]", DataType.INT32, DataType.UINT32);
    return filled(dataType, values.length, shape, data -> data.asIntBuffer().put(values));
  }

  /** A tensor of {@link DataType#INT64}, or of {@link DataType#UINT64} with the same bits. */
  public static Tensor of(DataType dataType, long[] values, long... shape) {
    require(dataType, "a long[]", DataType.INT64, DataType.UINT64);
    return filled(dataType, values.length, shape, data -> data.asLongBuffer().put(values));
  }

  /**
   * A tensor of {@link DataType#INT16}, or of {@link DataType#UINT16}, {@link DataType#FP16} or
   * {@link DataType#BF16} with the same bits.
   */
  public static Tensor of(DataType dataType, short[] values, long... shape) {
    require(dataType, "a short[]", DataType.INT16, DataType.UINT16, DataType.FP16, DataType.BF16);
    return filled(dataType, values.length, shape, data -> data.asShortBuffer().put(values));
  }

  private static Tensor filled(
      DataType dataType, int count, long[] shape, Consumer<ByteBuffer> filling) {
    ByteBuffer data = TensorBytes.allocate(count, dataType);
    filling.accept(data);
    return owned(dataType, data, orFlat(shape, count));
  }

  /** A tensor of {@link DataType#INT8}, or of {@link DataType#UINT8} with the same bits. */
  public static Tensor of(DataType dataType, byte[] values, long... shape) {
    require(dataType, "a byte[]", DataType.INT8, DataType.UINT8);
    return owned(dataType, ByteBuffer.wrap(values.clone()), orFlat(shape, values.length));
  }

  /**
   * A tensor of {@link DataType#FP16} or {@link DataType#BF16}, each value rounded to the nearest,
   * ties to even; or of {@link DataType#FP32}.
   */
  public static Tensor of(DataType dataType, float[] values, long... shape) {
    require(dataType, "a float[]", DataType.FP32, DataType.FP16, DataType.BF16);
    if (dataType == DataType.FP32) {
      return of(values, shape);
    }
    return owned(dataType, TensorBytes.write(dataType, values), orFlat(shape, values.length));
  }

  /**
   * A tensor of the bytes between a buffer's position and limit, without a copy.
   *
   * @param data direct or not, and little-endian. Its bytes are borrowed for as long as the tensor
   *     is used, and must not change. The buffer's position stays
   * @throws IllegalArgumentException if the bytes are not those of the shape, or the order of the
   *     buffer is not that of its elements: a new buffer, also a slice or a duplicate, has Java's
   */
  public static Tensor wrap(DataType dataType, ByteBuffer data, long... shape) {
    TensorBytes.requireOrder(dataType, data);
    return owned(dataType, data.slice().order(ByteOrder.LITTLE_ENDIAN), shape.clone());
  }

  /** {@code bytes}: little-endian, all of the buffer, and as {@code shape} of no other. */
  private static Tensor owned(DataType dataType, ByteBuffer bytes, long[] shape) {
    String mistake = TensorBytes.mistake(dataType, bytes, shape);
    if (mistake != null) {
      throw new IllegalArgumentException(mistake);
    }
    return new Tensor(dataType, shape, bytes, null);
  }

  /** A tensor whose elements are, or will be, in a region of shared memory. */
  public static Tensor ofRegion(SharedRegion region, DataType dataType, long... shape) {
    TensorBytes.count(shape);
    return new Tensor(dataType, shape.clone(), null, region);
  }

  /** A shape of the tensor's own. */
  private static long[] orFlat(long[] shape, int elements) {
    return shape.length == 0 ? new long[] {elements} : shape.clone();
  }

  private static void require(DataType dataType, String values, DataType... allowed) {
    if (!List.of(allowed).contains(dataType)) {
      throw new IllegalArgumentException(
          "%s is not made of %s, but of %s".formatted(dataType, values, Arrays.toString(allowed)));
    }
  }

  public DataType dataType() {
    return dataType;
  }

  /** A copy of the shape. */
  public long[] shape() {
    return shape.clone();
  }

  public long elementCount() {
    return TensorBytes.count(shape);
  }

  /** The bytes of all elements. */
  public long byteSize() {
    return region == null ? bytes().remaining() : region.byteSize();
  }

  /** Where the elements are, if that is shared memory; else null. */
  public @Nullable SharedRegion region() {
    return region;
  }

  /** A read-only little-endian view of the elements. The tensor may be sent meanwhile. */
  public ByteBuffer data() {
    return bytes().asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * The elements as the tensor has them, for transports: a read-only view does not show its array,
   * and libraries copy its bytes in small pieces.
   *
   * @return little-endian, from position 0 to the limit; borrowed: neither its bytes nor its
   *     position may be changed
   */
  public ByteBuffer unsafeData() {
    return bytes();
  }

  private ByteBuffer bytes() {
    if (data == null) {
      throw new IllegalStateException("the elements are in shared memory: " + region);
    }
    return data;
  }

  private ByteBuffer as(String values, DataType... allowed) {
    if (List.of(allowed).contains(dataType)) {
      return bytes();
    }
    throw new IllegalStateException(
        "a tensor of %s is not read as %s, which is for %s"
            .formatted(dataType, values, Arrays.toString(allowed)));
  }

  /** The elements of FP32; those of FP16 and BF16 exactly, as {@code float}. */
  public float[] floats() {
    ByteBuffer bytes = as("floats", DataType.FP32, DataType.FP16, DataType.BF16);
    if (dataType != DataType.FP32) {
      return TensorBytes.readHalfFloats(dataType, bytes);
    }
    float[] values = new float[bytes.remaining() / Float.BYTES];
    bytes.asFloatBuffer().get(values);
    return values;
  }

  /** The elements of FP64. */
  public double[] doubles() {
    ByteBuffer bytes = as("doubles", DataType.FP64);
    double[] values = new double[bytes.remaining() / Double.BYTES];
    bytes.asDoubleBuffer().get(values);
    return values;
  }

  /** The elements of INT32, and the bits of those of UINT32. */
  public int[] ints() {
    ByteBuffer bytes = as("ints", DataType.INT32, DataType.UINT32);
    int[] values = new int[bytes.remaining() / Integer.BYTES];
    bytes.asIntBuffer().get(values);
    return values;
  }

  /** The elements of INT64, and the bits of those of UINT64. */
  public long[] longs() {
    ByteBuffer bytes = as("longs", DataType.INT64, DataType.UINT64);
    long[] values = new long[bytes.remaining() / Long.BYTES];
    bytes.asLongBuffer().get(values);
    return values;
  }

  /** The elements of INT16, and the bits of those of UINT16, FP16 and BF16. */
  public short[] shorts() {
    ByteBuffer bytes = as("shorts", DataType.INT16, DataType.UINT16, DataType.FP16, DataType.BF16);
    short[] values = new short[bytes.remaining() / Short.BYTES];
    bytes.asShortBuffer().get(values);
    return values;
  }

  /** The elements of INT8, and the bits of those of UINT8. */
  public byte[] byteValues() {
    ByteBuffer bytes = as("byte values", DataType.INT8, DataType.UINT8);
    byte[] values = new byte[bytes.remaining()];
    bytes.get(0, values);
    return values;
  }

  /** The elements of BOOL. */
  public boolean[] booleans() {
    ByteBuffer bytes = as("booleans", DataType.BOOL);
    boolean[] values = new boolean[bytes.remaining()];
    for (int i = 0; i < values.length; i++) {
      values[i] = bytes.get(i) != 0;
    }
    return values;
  }

  /** The elements of BYTES, each decoded as UTF-8. */
  public String[] strings() {
    return Arrays.stream(byteStrings()).map(each -> new String(each, UTF_8)).toArray(String[]::new);
  }

  /** The elements of BYTES. */
  public byte[][] byteStrings() {
    return TensorBytes.readStrings(as("strings", DataType.BYTES), (int) elementCount());
  }

  /** The data type and the shape. */
  @Override
  public String toString() {
    return dataType + Arrays.toString(shape);
  }
}
