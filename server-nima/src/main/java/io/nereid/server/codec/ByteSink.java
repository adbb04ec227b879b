package io.nereid.server.codec;

import io.nereid.error.InferenceException;
import io.nereid.tensor.Elements;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A growable byte array to write to. Reusable after {@link #clear}; for one thread. */
public final class ByteSink {
  private static final int MAX_CAPACITY = Integer.MAX_VALUE - 8;

  private byte[] bytes;
  private int size;

  public ByteSink(int capacity) {
    bytes = new byte[Math.max(16, capacity)];
  }

  public int size() {
    return size;
  }

  /** The array that holds {@link #size} written bytes; valid until the next write. */
  public byte[] array() {
    return bytes;
  }

  /** A copy of the bytes written. */
  public byte[] toByteArray() {
    return Arrays.copyOf(bytes, size);
  }

  /** Removes all bytes and keeps the array. */
  public void clear() {
    size = 0;
  }

  /**
   * Ensures room for {@code byteSize} bytes from {@link #size} on.
   *
   * @return {@link #array}
   */
  public byte[] reserve(long byteSize) {
    long needed = size + byteSize;
    if (needed > bytes.length) {
      if (needed > MAX_CAPACITY) {
        throw InferenceException.internal(
            "response of more than %d bytes is too large".formatted(MAX_CAPACITY));
      }
      bytes =
          Arrays.copyOf(bytes, (int) Math.min(MAX_CAPACITY, Math.max(needed, 2L * bytes.length)));
    }
    return bytes;
  }

  /** Sets the size, after bytes were written to {@link #reserve reserved} room. */
  public void fillTo(int newSize) {
    size = newSize;
  }

  public void put(int value) {
    reserve(1)[size++] = (byte) value;
  }

  /** Writes ASCII text. */
  public void putAscii(String text) {
    size = putAscii(reserve(text.length()), size, text);
  }

  /** Writes ASCII text to an array; returns where it ends. */
  public static int putAscii(byte[] target, int at, String text) {
    for (int i = 0; i < text.length(); i++) {
      target[at + i] = (byte) text.charAt(i);
    }
    return at + text.length();
  }

  /** Writes a whole segment. */
  public void put(MemorySegment source) {
    byte[] target = reserve(source.byteSize());
    MemorySegment.copy(source, Elements.BYTE, 0, target, size, (int) source.byteSize());
    size += (int) source.byteSize();
  }

  public void putLong(long value) {
    reserve(DecimalDigits.MAX_LONG);
    size = DecimalDigits.putLong(bytes, size, value);
  }

  public void putDouble(double value) {
    reserve(FloatDigits.MAX_LENGTH);
    size = FloatDigits.put(bytes, size, value);
  }

  @Override
  public String toString() {
    return new String(bytes, 0, size, StandardCharsets.UTF_8);
  }
}
