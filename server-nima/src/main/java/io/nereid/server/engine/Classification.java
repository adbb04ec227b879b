package io.nereid.server.engine;

import io.nereid.error.InferenceException;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.memory.Lease;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The highest values of an output, each as {@code <value>:<index>} or {@code
 * <value>:<index>:<label>}, as in Triton's "protocol/extension_classification.md". Owns the memory
 * of {@link #tensor}.
 *
 * @param tensor BYTES, of shape {@code [batch, k]}, or {@code [k]} for a model that does not batch
 */
public record Classification(Tensor tensor, Lease lease) implements AutoCloseable {
  private static final long MAX_ITEM_ELEMENTS = 1_000_000;

  /** The index of an element in its item, and a key in the order of the values. */
  private record Ranked(long key, int index) {}

  /** Ascending values; of equal ones, descending indexes. */
  private static final Comparator<Ranked> WORST_FIRST =
      Comparator.comparingLong(Ranked::key)
          .thenComparing(Comparator.comparingInt(Ranked::index).reversed());

  /**
   * Classifies an output.
   *
   * @param output borrowed
   * @param count the number of classes, at least 1; clipped to the elements of an item
   * @param batches whether the output's first dimension is the batch
   * @param labels by index; empty and missing ones are omitted
   */
  public static Classification of(
      Tensor output, long count, boolean batches, List<String> labels, BufferPool pool) {
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
    var elements = new ArrayList<byte[]>();
    for (long item = 0; item < items && classes > 0; item++) {
      long first = item * itemSize;
      for (Ranked ranked : best(output, first, itemSize, classes)) {
        elements.add(text(output, first, ranked.index(), labels).getBytes(StandardCharsets.UTF_8));
      }
    }
    Shape shape = Shape.of(classes);
    return write(output.name(), batched ? shape.withLeading(items) : shape, elements, pool);
  }

  private static Classification write(
      String name, Shape shape, List<byte[]> elements, BufferPool pool) {
    Lease lease = pool.lease(BytesElements.byteSize(elements));
    MemorySegment data = lease.segment();
    long offset = 0;
    for (byte[] element : elements) {
      offset = BytesElements.put(data, offset, element);
    }
    return new Classification(new Tensor(name, DataType.BYTES, shape, data), lease);
  }

  private static List<Ranked> best(Tensor output, long first, int itemSize, int classes) {
    var kept = new PriorityQueue<Ranked>(classes + 1, WORST_FIRST);
    for (int i = 0; i < itemSize; i++) {
      long key = key(output, first + i);
      if (kept.size() < classes) {
        kept.add(new Ranked(key, i));
      } else if (key > kept.element().key()) {
        kept.remove();
        kept.add(new Ranked(key, i));
      }
    }
    return kept.stream().sorted(WORST_FIRST.reversed()).toList();
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

  private static String text(Tensor output, long first, int index, List<String> labels) {
    String value =
        switch (output.dataType()) {
          case FP32, FP64 -> sixDecimals(real(output, first + index));
          case UINT64 -> Long.toUnsignedString(integer(output, first + index));
          default -> Long.toString(integer(output, first + index));
        };
    String label = index < labels.size() ? labels.get(index) : "";
    return label.isEmpty() ? value + ":" + index : value + ":" + index + ":" + label;
  }

  /** As C's {@code %f}: six decimals of the exact value, halves to even. */
  private static String sixDecimals(double value) {
    if (Double.isNaN(value)) {
      return "nan";
    }
    String sign = Double.doubleToRawLongBits(value) < 0 ? "-" : "";
    double size = Math.abs(value);
    return sign
        + (Double.isInfinite(size)
            ? "inf"
            : new BigDecimal(size).setScale(6, RoundingMode.HALF_EVEN).toPlainString());
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
