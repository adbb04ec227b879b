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

/** Makes tensors out of a seed: the same seed, the same bytes. Floating-point values are finite. */
public final class TensorGenerator {
  /** The size of a dimension that a configuration leaves open. */
  public static final int OPEN_DIMENSION = 5;

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
          dims[i] = dimensions.applyAsLong(input, batched ? i - 1 : i);
        }
      }
      Shape shape = batched ? Shape.of(dims).withFirst(rows) : Shape.of(dims);
      inputs.add(tensor(spec.name(), spec.dataType(), shape));
    }
    return inputs;
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
        case FP16 -> data.set(Elements.SHORT, at, Float.floatToFloat16(value()));
        case BF16 ->
            data.set(Elements.SHORT, at, (short) (Float.floatToRawIntBits(value()) >>> 16));
        case FP32 -> data.set(Elements.FLOAT, at, value());
        case FP64 -> data.set(Elements.DOUBLE, at, random.nextGaussian());
        case BYTES -> throw new IllegalStateException("made by strings()");
      }
    }
    return data;
  }

  private float value() {
    return (float) random.nextGaussian();
  }

  private MemorySegment strings(int count) {
    List<byte[]> elements = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] element = new byte[random.nextInt(12)]; // none is legal, and so are NUL and 0xFF
      random.nextBytes(element);
      elements.add(element);
    }
    return MemorySegment.ofArray(Samples.strings(elements));
  }
}
