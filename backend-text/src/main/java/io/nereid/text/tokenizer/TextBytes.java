package io.nereid.text.tokenizer;

import io.nereid.error.InferenceException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * A text in UTF-8, of which only as much is decoded as is asked for.
 *
 * @param prompt what stands before it
 * @param data borrowed
 */
public record TextBytes(String prompt, MemorySegment data) {
  public long byteSize() {
    return data.byteSize();
  }

  /**
   * The prompt and the beginning of the text, or all of it.
   *
   * @param maxBytes of the text; a character that does not fit is left out
   * @throws InferenceException INVALID_ARGUMENT if that is not in UTF-8
   */
  String beginning(long maxBytes) {
    long end = Math.min(maxBytes, data.byteSize());
    if (end < data.byteSize()) {
      long least = Math.max(0, end - 3); // a character has four bytes at most
      while (end > least && (data.get(ValueLayout.JAVA_BYTE, end) & 0xC0) == 0x80) {
        end--;
      }
    }
    ByteBuffer bytes = data.asSlice(0, end).asByteBuffer();
    try {
      return prompt + StandardCharsets.UTF_8.newDecoder().decode(bytes);
    } catch (CharacterCodingException malformed) {
      throw InferenceException.invalid("is not in UTF-8");
    }
  }
}
