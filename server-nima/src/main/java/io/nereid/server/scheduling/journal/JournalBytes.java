package io.nereid.server.scheduling.journal;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Bytes of a journal being written. Numbers take as few as they can: seven bits a byte, the lowest
 * first, the eighth set if another byte follows.
 */
final class JournalBytes {
  private static final int MAX_NUMBER = 10;

  private byte[] bytes = new byte[1 << 12];
  private int size;

  byte[] array() {
    return bytes;
  }

  /** How many of {@link #array} count. */
  int size() {
    return size;
  }

  void clear() {
    size = 0;
  }

  /** Any 64 bits; few bytes if they are small as an unsigned number. */
  void number(long value) {
    reserve(MAX_NUMBER);
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes[size] = (byte) (rest | 0x80);
      size++;
      rest >>>= 7;
    }
    bytes[size] = (byte) rest;
    size++;
  }

  /** Any difference; few bytes if it is near 0. */
  void difference(long value) {
    number((value << 1) ^ (value >> 63));
  }

  void text(String value) {
    byte[] text = value.getBytes(StandardCharsets.UTF_8);
    number(text.length);
    append(text, text.length);
  }

  void append(byte[] source, int length) {
    reserve(length);
    System.arraycopy(source, 0, bytes, size, length);
    size += length;
  }

  private void reserve(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more));
    }
  }
}
