package io.nereid.tck.support;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.ToLongBiFunction;

/**
 * Makes tensors out of a seed: the same seed, the same bytes. Floating-point values are finite, and
 * dimensions have elements, unless the seed says otherwise.
 */
public final class TensorGenerator {
  /** The size of a dimension that a configuration leaves open. */
  public static final int OPEN_DIMENSION = 5;

  /** The seed of inputs without elements, as far as a dimension is open. */
  public static final long EMPTY = 1L << 40;

  /** From this seed on, half of the floating-point values are no ordinary numbers. */
  public static final long EXTREMES = EMPTY + 1;

  /** More bytes than a length of 16 bits can tell; a BYTES input of {@link #EXTREMES} has them. */
  private static final int LONG_ELEMENT = 70_000;

  /** Those below 1 are subnormal in FP16, in BF16 and FP32, and in FP64. */
  private static final double[] EXTREME = {
    Double.NaN,
    -0.0,
    Double.POSITIVE_INFINITY,
    0x1p-24,
    0x1p-130,
    Double.MIN_VALUE,
    Double.NEGATIVE_INFINITY
  };

  private final long seed;
  private final Random random;
  private final ToLongBiFunction<TensorConfig, Integer> dimensions;

  public TensorGenerator(long seed) {
    this(seed, (_, _) -> OPEN_DIMENSION);
  }

  /**
   * A generator with sizes of dimensions that a configuration leaves open.
   *
   * @param dimensions the size by input and index of the dimension in {@code dims}
   */
  public TensorGenerator(long seed, ToLongBiFunction<TensorConfig, Integer> dimensions) {
    this.seed = seed;
    this.random = new Random(seed);
    this.dimensions = dimensions;
  }

  /** All inputs of a model for {@code rows} rows, on the heap. */
  public List<Tensor> inputs(ModelConfig config, long rows) {
    List<Tensor> inputs = new ArrayList<>();
    for (TensorConfig input : config.inputs()) {
      var spec = input.modelSpec(config.maxBatchSize());
      boolean batched = config.batches() && !input.shapeTensor();
      long[] dims = spec.shape().dims();
      for (int i = batched ? 1 : 0; i < dims.length; i++) {
        if (dims[i] == Shape.WILDCARD) {
          dims[i] = seed == EMPTY ? 0 : open(input, batched ? i - 1 : i);
        }
      }
      Shape shape = batched ? Shape.of(dims).withFirst(rows) : Shape.of(dims);
      inputs.add(tensor(spec.name(), spec.dataType(), shape));
    }
    return inputs;
  }

  /** The size of an open dimension; where requests of a batch may differ in it, by the seed. */
  private long open(TensorConfig input, int axis) {
    long size = dimensions.applyAsLong(input, axis);
    return input.allowRaggedBatch() ? Math.max(1, size - Math.floorMod(seed, 3)) : size;
  }

  /** One tensor on the heap. */
  public Tensor tensor(String name, DataType type, Shape shape) {
    int count = Math.toIntExact(shape.elementCount());
    return new Tensor(
        name, type, shape, type == DataType.BYTES ? strings(count) : data(type, count));
  }

  private MemorySegment data(DataType type, int count) {
    var data = MemorySegment.ofArray(new byte[Math.multiplyExact(count, type.byteSize())]);
    for (int i = 0; i < count; i++) {
      long at = (long) i * type.byteSize();
      switch (type) {
        case BOOL -> data.set(Elements.BYTE, at, (byte) random.nextInt(2));
        case UINT8, INT8 -> data.set(Elements.BYTE, at, (byte) random.nextInt());
        case UINT16, INT16 -> data.set(Elements.SHORT, at, (short) random.nextInt());
        case UINT32, INT32 -> data.set(Elements.INT, at, random.nextInt());
        case UINT64, INT64 -> data.set(Elements.LONG, at, random.nextLong());
        case FP16 -> data.set(Elements.SHORT, at, Float.floatToFloat16((float) value(i)));
        case BF16 ->
            data.set(
                Elements.SHORT, at, (short) (Float.floatToRawIntBits((float) value(i)) >>> 16));
        case FP32 -> data.set(Elements.FLOAT, at, (float) value(i));
        case FP64 -> data.set(Elements.DOUBLE, at, value(i));
        case BYTES -> throw new IllegalStateException("made by strings()");
      }
    }
    return data;
  }

  private double value(int i) {
    return seed >= EXTREMES && i % 2 == 0
        ? EXTREME[(int) ((seed - EXTREMES + i / 2) % EXTREME.length)]
        : random.nextGaussian();
  }

  private MemorySegment strings(int count) {
    List<byte[]> elements = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int size = random.nextInt(12); // none is legal, and so are NUL and 0xFF
      byte[] element = new byte[seed == EXTREMES && i == 0 ? LONG_ELEMENT : size];
      random.nextBytes(element);
      elements.add(element);
    }
    return MemorySegment.ofArray(Samples.strings(elements));
  }
}
