package io.nereid.server.codec.json;

import io.nereid.error.InferenceException;
import io.nereid.server.codec.json.document.JsonDocument;
import io.nereid.server.codec.json.document.JsonValue;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** A body that is JSON. */
final class JsonBody {
  private JsonBody() {}

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
