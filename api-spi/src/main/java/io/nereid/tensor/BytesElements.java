package io.nereid.tensor;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The layout of {@link DataType#BYTES} data: for each element, row-major, a 4-byte little-endian
 * unsigned length, then that many bytes. Any bytes are legal, NUL and invalid UTF-8 included.
 */
public final class BytesElements {
  /** Bytes in front of each element. */
  public static final int PREFIX = Integer.BYTES;

  private BytesElements() {}

  /** Receives elements in order. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * Takes one element.
     *
     * @param offset of the element's first byte in the segment
     * @param byteSize of the element, without its prefix
     */
    void element(long offset, long byteSize);
  }

  /**
   * Walks the elements of {@code data} up to its end.
   *
   * @return the number of elements
   * @throws IllegalArgumentException if the last element or its prefix is cut off
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
   * Walks over {@code count} elements from {@code offset}, which is the start of one.
   *
   * @return the offset behind the last of them
   * @throws IllegalArgumentException if {@code data} ends before
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

  /** The length that the prefix at {@code offset} tells. */
  public static long lengthAt(MemorySegment data, long offset) {
    return Integer.toUnsignedLong(data.get(Elements.INT, offset));
  }

  /** The bytes that {@code elements} take with their prefixes. */
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
   * @return the offset behind it
   */
  public static long put(MemorySegment target, long offset, byte[] element) {
    target.set(Elements.INT, offset, element.length);
    MemorySegment.copy(MemorySegment.ofArray(element), 0, target, offset + PREFIX, element.length);
    return offset + PREFIX + element.length;
  }
}
