package io.nereid.server.codec.json.text;

import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.FloatDigits;
import io.nereid.server.codec.json.document.JsonText;
import java.util.UUID;

/** What the responses of several APIs have. */
final class ResponseText {
  private ResponseText() {}

  static void putFloat(ByteSink sink, float value) {
    byte[] target = sink.reserve(FloatDigits.MAX_LENGTH);
    sink.fillTo(FloatDigits.put(target, sink.size(), value));
  }

  /** Writes {@code "id":"<kind>-...","model":"..."}. */
  static void putIdentity(ByteSink sink, String kind, String model) {
    sink.putAscii("\"id\":\"" + kind + '-' + UUID.randomUUID() + "\",\"model\":");
    JsonText.putString(sink, model);
  }

  /** Writes {@code "usage":{...}}. */
  static void putUsage(ByteSink sink, long tokens) {
    sink.putAscii("\"usage\":{\"prompt_tokens\":");
    sink.putLong(tokens);
    sink.putAscii(",\"total_tokens\":");
    sink.putLong(tokens);
    sink.put('}');
  }
}
