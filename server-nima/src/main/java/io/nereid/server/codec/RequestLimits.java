package io.nereid.server.codec;

import io.nereid.error.InferenceException;

/**
 * The most that a request may have of what is not the data of its tensors: it lies on the heap,
 * uncounted, as long as the request waits. The same for all protocols.
 */
public final class RequestLimits {
  /** Inputs of a request; the same number of outputs. */
  public static final int MAX_TENSORS = 4096;

  /** Dimensions of a shape. */
  public static final int MAX_RANK = 64;

  /** Bytes of a request's id. */
  public static final int MAX_ID = 4096;

  /** Bytes of a name: of a tensor, a data type, a region, a parameter. */
  public static final int MAX_NAME = 1024;

  /** Parameters of a request, or of a tensor of it. */
  public static final int MAX_PARAMETERS = 1024;

  /** Bytes of all parameters of a request, names and texts. */
  public static final int MAX_PARAMETER_BYTES = 64 << 10;

  /** Bytes of a request that has neither tensors nor files: of settings, regions, an index. */
  public static final int MAX_PLAIN_REQUEST = 64 << 10;

  /** How much of a text that is too long an error shows. */
  private static final int SHOWN = 32;

  private RequestLimits() {}

  /**
   * The failure of a request that has too many of something.
   *
   * @param what in the plural, such as {@code inputs}
   */
  public static InferenceException tooMany(String what, int max) {
    return InferenceException.invalid(
        "the request has more than %d %s, which is the limit".formatted(max, what));
  }

  /**
   * The failure of a text that is too long.
   *
   * @param what such as {@code the name of an input}
   * @param text all of it, or its beginning
   */
  public static InferenceException tooLong(String what, long byteSize, int max, String text) {
    return InferenceException.invalid(
        "%s has %d bytes, but may have %d at most: '%s...'"
            .formatted(what, byteSize, max, beginning(text)));
  }

  /** The failure of a request without tensors and files that is too large. */
  public static InferenceException plainTooLarge() {
    return InferenceException.invalid(
        "a request without tensors and files may have %d bytes at most"
            .formatted(MAX_PLAIN_REQUEST));
  }

  /** The first characters of a text, without half a character at the end. */
  private static String beginning(String text) {
    if (text.length() <= SHOWN) {
      return text;
    }
    boolean cutsPair = Character.isHighSurrogate(text.charAt(SHOWN - 1));
    return text.substring(0, cutsPair ? SHOWN - 1 : SHOWN);
  }
}
