package io.nereid.onnx.ort;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.nereid.tensor.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A tensor that ONNX Runtime allocated. It may outlive its session. Any thread may close it, once,
 * which invalidates the result of {@link #data}.
 */
public final class OrtValue implements AutoCloseable {
  private final OrtApi api;
  private final OrtHandle value;
  private final int elementType;
  private final Shape shape;

  /** Takes the value at {@code address}. */
  OrtValue(OrtApi api, long address) {
    this.api = api;
    this.value = new OrtHandle(api, OrtHandle.Kind.VALUE, address);
    try (var arena = Arena.ofConfined()) {
      MemorySegment type = arena.allocate(JAVA_INT);
      MemorySegment dims = arena.allocate(ADDRESS);
      MemorySegment rank = arena.allocate(JAVA_LONG);
      api.call(
          OrtApi.GET_TENSOR_ELEMENT_TYPE_AND_SHAPE_DATA_REFERENCE,
          address,
          type.address(),
          dims.address(),
          rank.address());
      this.elementType = type.get(JAVA_INT, 0);
      // "shape_data: the OrtValue instance's internal shape data array", with rank elements
      long byteSize = rank.get(JAVA_LONG, 0) * JAVA_LONG.byteSize();
      this.shape = Shape.of(dims.get(ADDRESS, 0).reinterpret(byteSize).toArray(JAVA_LONG));
    } catch (RuntimeException failure) {
      value.close();
      throw failure;
    }
  }

  public int elementType() {
    return elementType;
  }

  public Shape shape() {
    return shape;
  }

  /** The tensor's memory, valid until {@link #close}. Not for tensors of strings. */
  public MemorySegment data() {
    long byteSize = api.create(OrtApi.GET_TENSOR_SIZE_IN_BYTES, value.address());
    long address = api.create(OrtApi.GET_TENSOR_MUTABLE_DATA, value.address());
    // GetTensorSizeInBytes: "total size of the tensor data in bytes"
    return MemorySegment.ofAddress(address).reinterpret(byteSize);
  }

  /**
   * Copies the elements of a tensor of strings, in the layout of {@link
   * io.nereid.tensor.BytesElements}, to one segment per part.
   *
   * @param counts the number of elements of each part; their sum is the tensor's element count
   * @param targets allocates the segment of a part
   */
  public void copyStrings(long[] counts, PartAllocator targets) {
    try (var arena = Arena.ofConfined()) {
      var contents = OrtStrings.Contents.of(api, value.address(), shape.elementCount(), arena);
      long from = 0;
      for (int part = 0; part < counts.length; part++) {
        long to = from + counts[part];
        contents.copyTo(targets.allocate(part, contents.byteSize(from, to)), from, to);
        from = to;
      }
    }
  }

  /** An allocator of memory for the strings of a part. */
  @FunctionalInterface
  public interface PartAllocator {
    MemorySegment allocate(int part, long byteSize);
  }

  @Override
  public void close() {
    value.close();
  }
}
