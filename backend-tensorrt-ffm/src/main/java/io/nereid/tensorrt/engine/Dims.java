package io.nereid.tensorrt.engine;

import io.nereid.tensor.Shape;
import io.nereid.tensorrt.bindings.nvinfer.trt_Dims;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;

/**
 * One {@code nvinfer1::Dims} in native memory, used again for each call: as an argument, and as the
 * allocator of a result, which C returns by a hidden pointer. Not thread-safe.
 */
final class Dims implements SegmentAllocator {
  /** {@code nvinfer1::Dims::MAX_DIMS} */
  static final int MAX_RANK = 8;

  private final MemorySegment memory;

  Dims(Arena arena) {
    memory = trt_Dims.allocate(arena);
  }

  /** This memory, for the result of a method. */
  @Override
  public MemorySegment allocate(long byteSize, long byteAlignment) {
    return memory;
  }

  MemorySegment memory() {
    return memory;
  }

  /** Copies the dimensions that a callback was given. */
  void copyFrom(MemorySegment dims) {
    MemorySegment.copy(dims.reinterpret(memory.byteSize()), 0, memory, 0, memory.byteSize());
  }

  void set(Shape shape) {
    requireRank(shape.rank());
    trt_Dims.nbDims(memory, shape.rank());
    for (int i = 0; i < shape.rank(); i++) {
      trt_Dims.d(memory, i, shape.dim(i));
    }
  }

  void set(long[] dims, int rank) {
    requireRank(rank);
    trt_Dims.nbDims(memory, rank);
    for (int i = 0; i < rank; i++) {
      trt_Dims.d(memory, i, dims[i]);
    }
  }

  private static void requireRank(int rank) {
    if (rank > MAX_RANK) {
      throw new IllegalArgumentException("TensorRT has at most 8 dimensions, not " + rank);
    }
  }

  /** The number of dimensions; -1 if there is no such tensor, or its shape is not known. */
  int rank() {
    return trt_Dims.nbDims(memory);
  }

  /** Copies the dimensions and returns their number, as {@link #rank}. */
  int get(long[] dims) {
    int rank = rank();
    for (int i = 0; i < rank; i++) {
      dims[i] = trt_Dims.d(memory, i);
    }
    return rank;
  }

  /** The dimensions; they must be known. */
  Shape shape() {
    long[] dims = new long[rank()];
    get(dims);
    return Shape.of(dims);
  }
}
