package io.nereid.onnx.ort;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.nereid.tensor.Shape;
import java.lang.foreign.MemorySegment;

/**
 * One input's or output's place in a run: the name that ONNX Runtime knows it by, and the tensor
 * that lies over the caller's memory. That tensor owns no memory, so it may stay for the next run
 * and is made anew only when address, size or shape change.
 */
final class OrtSlot implements AutoCloseable {
  private final OrtApi api;
  private final long memoryInfo;
  private final long name;
  private final NativeHandle value;

  /** Room for dimensions, grown when a tensor has more. */
  private long[] dims = new long[8];

  private int rank = -1;
  private int type;
  private long address;
  private long byteSize;

  OrtSlot(OrtApi api, long memoryInfo, long name) {
    this.api = api;
    this.memoryInfo = memoryInfo;
    this.name = name;
    this.value = new NativeHandle(api, NativeHandle.Kind.VALUE);
  }

  /** The C string's address. */
  long name() {
    return name;
  }

  /**
   * A tensor over {@code data}.
   *
   * @param scratch room for the dimensions, and one word more
   */
  long over(MemorySegment data, int elementType, Shape shape, MemorySegment scratch) {
    long at = data.address();
    long size = data.byteSize();
    if (at != address || size != byteSize || elementType != type || !same(shape)) {
      create(at, size, elementType, shape, scratch);
    }
    return value.address();
  }

  /** A tensor that ONNX Runtime made and this slot takes. */
  long holding(long made) {
    rank = -1;
    address = 0;
    value.replace(made);
    return made;
  }

  /** Whether the tensor lies over the caller's memory. */
  boolean isOver() {
    return rank >= 0;
  }

  /** Gives away what {@link #holding} took. */
  long take() {
    return value.take();
  }

  /** Releases a tensor with memory of its own; one that lies over the caller's may stay. */
  void dropHeld() {
    if (rank < 0) {
      value.close();
    }
  }

  private void create(long at, long size, int elementType, Shape shape, MemorySegment scratch) {
    rank = -1;
    int count = shape.rank();
    for (int i = 0; i < count; i++) {
      scratch.setAtIndex(JAVA_LONG, i, shape.dim(i));
    }
    long out = scratch.address() + count * JAVA_LONG.byteSize();
    api.createTensor(
        memoryInfo, at == 0 ? out : at, size, scratch.address(), count, elementType, out);
    value.replace(scratch.getAtIndex(JAVA_LONG, count));
    remember(at, size, elementType, shape);
  }

  private void remember(long at, long size, int elementType, Shape shape) {
    if (shape.rank() > dims.length) {
      dims = new long[shape.rank()];
    }
    for (int i = 0; i < shape.rank(); i++) {
      dims[i] = shape.dim(i);
    }
    rank = shape.rank();
    address = at;
    byteSize = size;
    type = elementType;
  }

  private boolean same(Shape shape) {
    if (rank != shape.rank()) {
      return false;
    }
    for (int i = 0; i < rank; i++) {
      if (dims[i] != shape.dim(i)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void close() {
    value.close();
  }
}
