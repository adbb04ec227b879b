package io.nereid.server.frontend;

import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.ByteSink;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The highest values of an output, each as {@code <value>:<index>} or {@code
 * <value>:<index>:<label>}, as in Triton's "protocol/extension_classification.md". Owns the memory
 * of {@link #tensor}.
 *
 * @param tensor BYTES, of shape {@code [batch, k]}, or {@code [k]} for a model that does not batch
 */
public record Classification(Tensor tensor, Lease lease) implements AutoCloseable {
  private static final long MAX_ITEM_ELEMENTS = 1_000_000;

  /** The usual room of a class. */
  private static final int TEXT = 64;

  /**
   * Classifies an output.
   *
   * @param output borrowed
   * @param count the number of classes, at least 1; clipped to the elements of an item
   * @param batches whether the output's first dimension is the batch
   * @param labels by index; empty and missing ones are omitted
   * @param memory allocates the classes, and what finding them takes
   */
  public static Classification of(
      Tensor output, long count, boolean batches, List<byte[]> labels, LeaseSource memory) {
    DataType dataType = output.dataType();
    switch (dataType) {
      case BOOL, BYTES, FP16, BF16 ->
          throw InferenceException.invalid(
              "class result not available for output due to unsupported type '%s'"
                  .formatted(dataType));
      default -> {}
    }
    boolean batched = batches && output.shape().rank() > 0;
    long items = batched ? output.shape().dim(0) : 1;
    Shape itemShape = batched ? output.shape().withoutLeading() : output.shape();
    if (itemShape.elementCount() > MAX_ITEM_ELEMENTS) {
      throw InferenceException.invalid("classification output tensor too large");
    }
    int itemSize = (int) itemShape.elementCount();
    int classes = (int) Math.min(count, itemSize);
    Shape shape = Shape.of(classes);
    Shape classShape = batched ? shape.withLeading(items) : shape;
    try (var best = new BestElements(classes, items, memory)) {
      for (long item = 0; item < items && classes > 0; item++) {
        long first = item * itemSize;
        best.begin();
        for (int i = 0; i < itemSize; i++) {
          best.add(key(output, first + i), i);
        }
        best.end();
      }
      return write(output, itemSize, classShape, best, labels, memory);
    }
  }

  /** Writes the classes: once to measure them, once into memory of that size. */
  private static Classification write(
      Tensor output,
      int itemSize,
      Shape shape,
      BestElements best,
      List<byte[]> labels,
      LeaseSource memory) {
    var text = new ByteSink(TEXT);
    long byteSize = 0;
    for (long i = 0; i < best.count(); i++) {
      putText(text, output, best.item(i) * itemSize, best.index(i), labels);
      byteSize += BytesElements.PREFIX + text.size();
    }
    Lease lease = memory.lease(byteSize);
    MemorySegment data = lease.segment();
    long offset = 0;
    for (long i = 0; i < best.count(); i++) {
      putText(text, output, best.item(i) * itemSize, best.index(i), labels);
      data.set(Elements.INT, offset, text.size());
      offset += BytesElements.PREFIX;
      MemorySegment.copy(text.array(), 0, data, Elements.BYTE, offset, text.size());
      offset += text.size();
    }
    return new Classification(new Tensor(output.name(), DataType.BYTES, shape, data), lease);
  }

  private static long key(Tensor output, long index) {
    return switch (output.dataType()) {
      case FP32, FP64 -> {
        double value = real(output, index) + 0.0; // of -0 makes 0
        long bits = Double.doubleToRawLongBits(value);
        yield Double.isNaN(value) ? Long.MIN_VALUE : bits ^ (bits >> 63 & Long.MAX_VALUE);
      }
      case UINT64 -> integer(output, index) ^ Long.MIN_VALUE;
      default -> integer(output, index);
    };
  }

  /** Writes a class, in place of what the sink has. */
  private static void putText(
      ByteSink sink, Tensor output, long first, int index, List<byte[]> labels) {
    sink.clear();
    switch (output.dataType()) {
      case FP32, FP64 -> SixDecimals.put(sink, real(output, first + index));
      case UINT64 -> sink.putAscii(Long.toUnsignedString(integer(output, first + index)));
      default -> sink.putLong(integer(output, first + index));
    }
    sink.put(':');
    sink.putLong(index);
    if (index < labels.size() && labels.get(index).length > 0) {
      sink.put(':');
      sink.put(MemorySegment.ofArray(labels.get(index)));
    }
  }

  private static double real(Tensor output, long index) {
    return output.dataType() == DataType.FP32
        ? output.data().get(Elements.FLOAT, index * Float.BYTES)
        : output.data().get(Elements.DOUBLE, index * Double.BYTES);
  }

  private static long integer(Tensor output, long index) {
    MemorySegment data = output.data();
    return switch (output.dataType()) {
      case INT8 -> data.get(Elements.BYTE, index);
      case UINT8 -> Byte.toUnsignedLong(data.get(Elements.BYTE, index));
      case INT16 -> data.get(Elements.SHORT, index * Short.BYTES);
      case UINT16 -> Short.toUnsignedLong(data.get(Elements.SHORT, index * Short.BYTES));
      case INT32 -> data.get(Elements.INT, index * Integer.BYTES);
      case UINT32 -> Integer.toUnsignedLong(data.get(Elements.INT, index * Integer.BYTES));
      case INT64, UINT64 -> data.get(Elements.LONG, index * Long.BYTES);
      case BOOL, FP16, FP32, FP64, BYTES, BF16 -> throw new AssertionError(output.dataType());
    };
  }

  /** Gives the memory back. */
  @Override
  public void close() {
    lease.close();
  }
}
