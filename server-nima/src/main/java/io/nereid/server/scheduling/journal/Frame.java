package io.nereid.server.scheduling.journal;

import java.nio.charset.StandardCharsets;

/** The bytes of one record of a journal being read; what {@link JournalBytes} writes. */
final class Frame {
  private final byte[] bytes;
  private int position;

  Frame(byte[] bytes) {
    this.bytes = bytes;
  }

  boolean isOver() {
    return position == bytes.length;
  }

  long number() throws DamagedJournalException {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      byte next = next();
      value |= (next & 0x7FL) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new DamagedJournalException("a number that does not end");
  }

  /** A number that is not negative and below {@code limit}. */
  int number(int limit) throws DamagedJournalException {
    long value = number();
    if (value < 0 || value >= limit) {
      throw new DamagedJournalException("%d where less than %d was expected", value, limit);
    }
    return (int) value;
  }

  /** A number that fits into an {@code int} and is not negative. */
  int count() throws DamagedJournalException {
    return number(Integer.MAX_VALUE);
  }

  long difference() throws DamagedJournalException {
    long value = number();
    return (value >>> 1) ^ -(value & 1);
  }

  boolean flag() throws DamagedJournalException {
    return number(2) == 1;
  }

  String text() throws DamagedJournalException {
    int length = number(bytes.length - position + 1);
    if (length > bytes.length - position) {
      throw new DamagedJournalException("a text that is longer than its record");
    }
    position += length;
    return new String(bytes, position - length, length, StandardCharsets.UTF_8);
  }

  /** One of an enum's constants, which are written by name: their order may change. */
  <E extends Enum<E>> E constant(Class<E> type) throws DamagedJournalException {
    String name = text();
    for (E constant : type.getEnumConstants()) {
      if (constant.name().equals(name)) {
        return constant;
      }
    }
    throw new DamagedJournalException("no %s is called '%s'", type.getSimpleName(), name);
  }

  private byte next() throws DamagedJournalException {
    if (isOver()) {
      throw new DamagedJournalException("a record that is too short");
    }
    byte next = bytes[position];
    position++;
    return next;
  }
}
