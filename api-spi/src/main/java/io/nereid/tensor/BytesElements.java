package io.nereid.tensor;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The layout of {@link DataType#BYTES} data: the elements in row-major order, each a 4-byte
 * little-endian unsigned length and that many bytes. Any bytes are legal, including NUL and invalid
 * UTF-8.
 */
public final class BytesElements {
  /** Size of the length in front of each element, in bytes. */
  public static final int PREFIX = Integer.BYTES;

  private BytesElements() {}

  /** A callback for the elements in order. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * Visits one element.
     *
     * @param offset position of the element's first byte in the segment
     * @param byteSize size of the element without its prefix
     */
    void element(long offset, long byteSize);
  }

  /**
   * Visits all elements of {@code data}.
   *
   * @return the number of elements
   * @throws IllegalArgumentException if the last element or its prefix is truncated
   */
  public static long forEach(MemorySegment data, Visitor visitor) {
    long count = 0;
    long offset = 0;
    long end = data.byteSize();
    while (offset < end) {
      if (end - offset < PREFIX) {
        throw new IllegalArgumentException(
            "length of element %d is cut off: %d of 4 bytes".formatted(count, end - offset));
      }
      long byteSize = lengthAt(data, offset);
      offset += PREFIX;
      if (byteSize > end - offset) {
        throw new IllegalArgumentException(
            "element %d is cut off: %d of %d bytes".formatted(count, end - offset, byteSize));
      }
      visitor.element(offset, byteSize);
      offset += byteSize;
      count++;
    }
    return count;
  }

  /**
   * Skips {@code count} elements.
   *
   * @param offset the start of the first of them
   * @return the offset after the last of them
   * @throws IllegalArgumentException if {@code data} ends before that
   */
  public static long skip(MemorySegment data, long offset, long count) {
    long end = data.byteSize();
    long position = offset;
    for (long i = 0; i < count; i++) {
      long byteSize = end - position < PREFIX ? -1 : lengthAt(data, position);
      if (byteSize < 0 || byteSize > end - position - PREFIX) {
        throw new IllegalArgumentException(
            "data ends within element %d of %d behind offset %d".formatted(i, count, offset));
      }
      position += PREFIX + byteSize;
    }
    return position;
  }

  /** The element size in the prefix at {@code offset}. */
  public static long lengthAt(MemorySegment data, long offset) {
    return Integer.toUnsignedLong(data.get(Elements.INT, offset));
  }

  /** The number of bytes of {@code elements} including their prefixes. */
  public static long byteSize(List<byte[]> elements) {
    long byteSize = 0;
    for (byte[] element : elements) {
      byteSize += PREFIX + (long) element.length;
    }
    return byteSize;
  }

  /**
   * Writes one element with its prefix at {@code offset}.
   *
   * @return the offset after it
   */
  public static long put(MemorySegment target, long offset, byte[] element) {
    target.set(Elements.INT, offset, element.length);
    MemorySegment.copy(MemorySegment.ofArray(element), 0, target, offset + PREFIX, element.length);
    return offset + PREFIX + element.length;
  }
}
