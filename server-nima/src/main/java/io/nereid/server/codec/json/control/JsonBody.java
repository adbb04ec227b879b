package io.nereid.server.codec.json.control;

import com.google.gson.stream.JsonWriter;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.json.JsonRequestReader;
import io.nereid.server.codec.json.document.JsonDocument;
import io.nereid.server.codec.json.document.JsonValue;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** A body that is JSON, and has no tensors. */
final class JsonBody {
  /** What writes a body. */
  @FunctionalInterface
  interface Writing {
    void to(JsonWriter json) throws IOException;
  }

  private JsonBody() {}

  /** The body that is written. */
  static byte[] of(Writing writing) {
    var text = new StringWriter();
    try {
      writing.to(new JsonWriter(text));
    } catch (IOException impossible) {
      throw new UncheckedIOException("writing to memory", impossible);
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  /**
   * The JSON of a body; empty if the body is.
   *
   * @throws InferenceException INTERNAL for malformed JSON, INVALID_ARGUMENT if it is too large
   */
  static Optional<JsonValue> optionalRoot(MemorySegment body, long maxInputSize) {
    return body.byteSize() == 0 ? Optional.empty() : Optional.of(root(body, maxInputSize));
  }

  /**
   * The JSON of a body that may not be empty.
   *
   * @throws InferenceException INTERNAL for malformed JSON, INVALID_ARGUMENT if it is too large
   */
  static JsonValue root(MemorySegment body, long maxInputSize) {
    if (body.byteSize() > maxInputSize) {
      throw JsonRequestReader.tooLarge(body.byteSize(), maxInputSize);
    }
    return JsonDocument.parse(body).root();
  }
}
