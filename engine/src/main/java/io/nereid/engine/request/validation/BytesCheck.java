package io.nereid.engine.request.validation;

import io.nereid.error.InferenceException;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/** The check of BYTES data: it has as many elements as the shape says, none truncated. */
final class BytesCheck {
  private BytesCheck() {}

  /**
   * Checks the elements of an input.
   *
   * @param prefix the beginning of each message
   * @throws InferenceException INVALID_ARGUMENT
   */
  static void check(String prefix, String model, Tensor input) {
    long expected = input.shape().elementCount();
    MemorySegment data = input.data();
    long end = data.byteSize();
    long offset = 0;
    long count = 0;
    while (offset < end) {
      long left = end - offset;
      if (left < BytesElements.PREFIX) {
        throw invalid(
            "%sincomplete string length indicator for inference input '%s' for model '%s',"
                + " expecting 4 bytes but only %d bytes available. Please make sure the string"
                + " length indicator is in one buffer.",
            prefix, input.name(), model, left);
      }
      if (count == expected) {
        throw invalid(
            "%sunexpected number of string elements %d for inference input '%s' for model '%s',"
                + " expecting %d",
            prefix, count + 1, input.name(), model, expected);
      }
      long byteSize = BytesElements.lengthAt(data, offset);
      left -= BytesElements.PREFIX;
      if (byteSize > left) {
        throw invalid(
            "%sincomplete string data for inference input '%s' for model '%s', expecting string of"
                + " length %d but only %d bytes available",
            prefix, input.name(), model, byteSize, left);
      }
      offset += BytesElements.PREFIX + byteSize;
      count++;
    }
    if (count < expected) {
      throw invalid(
          "%sexpected %d string elements for inference input '%s' for model '%s', got %d",
          prefix, expected, input.name(), model, count);
    }
  }

  private static InferenceException invalid(String format, Object... arguments) {
    return InferenceException.invalid(format.formatted(arguments));
  }
}
