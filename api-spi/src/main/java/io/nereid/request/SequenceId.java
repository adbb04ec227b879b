package io.nereid.request;

/**
 * What ties the requests of a sequence together. The number 1 and the string "1" are different ids.
 */
public sealed interface SequenceId {
  /** No id: the number 0 or the empty string was sent, or nothing. */
  SequenceId NONE = new OfNumber(0);

  /**
   * A number.
   *
   * @param value unsigned
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
