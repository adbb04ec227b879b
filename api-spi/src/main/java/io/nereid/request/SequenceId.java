package io.nereid.request;

/**
 * The correlation id that the requests of a sequence share. The number 1 and the string "1" are
 * different ids.
 */
public sealed interface SequenceId {
  /** No id: the client sent the number 0, the empty string or nothing. */
  SequenceId NONE = new OfNumber(0);

  /**
   * A number.
   *
   * @param value an unsigned 64-bit integer
   */
  record OfNumber(long value) implements SequenceId {
    @Override
    public String toString() {
      return Long.toUnsignedString(value);
    }
  }

  /**
   * A text.
   *
   * @param value at most 128 characters
   */
  record OfString(String value) implements SequenceId {
    @Override
    public String toString() {
      return value;
    }
  }
}
