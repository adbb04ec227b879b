package io.nereid.server.codec.json.text;

import io.nereid.error.InferenceException;

/**
 * The most that a request may have.
 *
 * @param model its name, for messages
 * @param maxTexts the model's {@code max_batch_size}; 1 if it does not batch
 * @param maxBytes {@code --http-max-input-size}, of all texts as tensors
 */
public record TextLimits(String model, int maxTexts, long maxBytes) {
  void requireCount(String field, int count) {
    if (count > maxTexts) {
      throw InferenceException.invalid(
          "'%s' has more than %d texts, which is the most that model '%s' takes in a request"
                  .formatted(field, maxTexts, model)
              + " (max_batch_size)");
    }
  }

  void requireBytes(long byteSize) {
    if (byteSize > maxBytes) {
      throw InferenceException.invalid(
          "the texts of the request are %d bytes as tensors, and may be %d (--http-max-input-size)"
              .formatted(byteSize, maxBytes));
    }
  }
}
