package io.nereid.onnx.ort;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.nereid.tensor.Shape;
import java.lang.foreign.MemorySegment;

/**
 * An input or output of a run: its name and its current tensor. The tensor is either a view of the
 * caller's memory or a tensor that ONNX Runtime allocated. A view is kept for the next run and
 * replaced only if address, size, type or shape change.
 */
final class OrtSlot implements AutoCloseable {
  private final OrtApi api;
  private final long memoryInfo;
  private final long name;
  private final OrtHandle value;

  /** The dimensions of the view; only the first {@code rank} elements are used. */
  private long[] dims = new long[8];

  private int rank = -1; // -1 unless the tensor is a view
  private int type;
  private long address;
  private long byteSize;

  OrtSlot(OrtApi api, long memoryInfo, long name) {
    this.api = api;
    this.memoryInfo = memoryInfo;
    this.name = name;
    this.value = new OrtHandle(api, OrtHandle.Kind.VALUE);
  }

  /** The address of the name, a C string. */
  long name() {
    return name;
  }

  /**
   * Makes the tensor a view of {@code data} and returns its address.
   *
   * @param scratch memory for the dimensions and one more word
   */
  long over(MemorySegment data, int elementType, Shape shape, MemorySegment scratch) {
    long at = data.address();
    long size = data.byteSize();
    if (at != address || size != byteSize || elementType != type || !same(shape)) {
      create(at, size, elementType, shape, scratch);
    }
    return value.address();
  }

  /** Takes a tensor that ONNX Runtime allocated, and returns it. */
  long holding(long made) {
    rank = -1;
    address = 0;
    value.replace(made);
    return made;
  }

  /** Whether the tensor is a view of the caller's memory. */
  boolean isOver() {
    return rank >= 0;
  }

  /** Passes the tensor that {@link #holding} took to the caller. */
  long take() {
    return value.take();
  }

  /** Releases the tensor unless it is a view, which holds no memory. */
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
