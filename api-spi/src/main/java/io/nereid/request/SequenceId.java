package io.nereid.request;

import io.nereid.error.InferenceException;

/**
 * The correlation id that the requests of a sequence share. The number 1 and the string "1" are
 * different ids.
 */
public sealed interface SequenceId {
  /** No id: the client sent the number 0, the empty string or nothing. */
  SequenceId NONE = new OfNumber(0);

  /**
   * The id of a text that a client sent; {@link #NONE} if it is empty.
   *
   * @throws InferenceException UNSUPPORTED if it has more than 128 characters
   */
  static SequenceId of(String text) {
    if (text.length() > 128) {
      throw InferenceException.unsupported(
          "string correlation ID cannot be longer than 128 characters");
    }
    return text.isEmpty() ? NONE : new OfString(text);
  }

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
