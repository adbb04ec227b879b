package io.nereid.onnx.ort;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.nereid.tensor.BytesElements;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Copies of string tensors to and from ONNX Runtime, whose elements are C++ strings. Lengths are
 * explicit in both directions, so elements may contain any bytes, including NUL.
 */
final class OrtStrings {
  static final int ELEMENT_TYPE = 8; // ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING

  private OrtStrings() {}

  /** Creates a tensor with the elements of {@code data}. The caller owns it. */
  static long create(OrtApi api, MemorySegment data, Shape shape) {
    long allocator = api.create(OrtApi.GET_ALLOCATOR_WITH_DEFAULT_OPTIONS);
    try (var arena = Arena.ofConfined();
        var value = new OrtHandle(api, OrtHandle.Kind.VALUE)) {
      MemorySegment dims = arena.allocateFrom(JAVA_LONG, shape.dims());
      value.replace(
          api.create(OrtApi.CREATE_TENSOR, allocator, dims.address(), shape.rank(), ELEMENT_TYPE));
      MemorySegment out = arena.allocate(JAVA_LONG);
      var fill = new Fill(api, value.address(), data, out);
      long count = BytesElements.forEach(data, fill);
      if (count != shape.elementCount()) {
        throw new IllegalArgumentException(count + " elements for shape " + shape);
      }
      return value.take();
    }
  }

  private static final class Fill implements BytesElements.Visitor {
    private final OrtApi api;
    private final long value;
    private final MemorySegment data;
    private final MemorySegment out;
    private long index;

    Fill(OrtApi api, long value, MemorySegment data, MemorySegment out) {
      this.api = api;
      this.value = value;
      this.data = data;
      this.out = out;
    }

    @Override
    public void element(long offset, long byteSize) {
      api.call(
          OrtApi.GET_RESIZED_STRING_TENSOR_ELEMENT_BUFFER, value, index, byteSize, out.address());
      // "the resized string's buffer", of the length asked for
      MemorySegment buffer = MemorySegment.ofAddress(out.get(JAVA_LONG, 0)).reinterpret(byteSize);
      MemorySegment.copy(data, offset, buffer, 0, byteSize);
      index++;
    }
  }

  /**
   * A copy of the elements of a string tensor.
   *
   * @param bytes all elements without prefixes
   * @param offsets the start of each element in {@code bytes}, and the end of the last
   */
  record Contents(MemorySegment bytes, MemorySegment offsets) {
    static Contents of(OrtApi api, long value, long count, Arena arena) {
      long byteSize = api.create(OrtApi.GET_STRING_TENSOR_DATA_LENGTH, value);
      MemorySegment bytes = arena.allocate(Math.max(1, byteSize));
      MemorySegment offsets = arena.allocate(JAVA_LONG, count + 1);
      api.call(
          OrtApi.GET_STRING_TENSOR_CONTENT,
          value,
          bytes.address(),
          byteSize,
          offsets.address(),
          count);
      offsets.setAtIndex(JAVA_LONG, count, byteSize);
      return new Contents(bytes, offsets);
    }

    long offset(long element) {
      return offsets.getAtIndex(JAVA_LONG, element);
    }

    /** Size of the elements {@code from} (inclusive) to {@code to} (exclusive) with prefixes. */
    long byteSize(long from, long to) {
      return offset(to) - offset(from) + (to - from) * BytesElements.PREFIX;
    }

    void copyTo(MemorySegment target, long from, long to) {
      long at = 0;
      for (long i = from; i < to; i++) {
        long length = offset(i + 1) - offset(i);
        target.set(Elements.INT, at, Math.toIntExact(length));
        MemorySegment.copy(bytes, offset(i), target, at + BytesElements.PREFIX, length);
        at += BytesElements.PREFIX + length;
      }
    }
  }
}
