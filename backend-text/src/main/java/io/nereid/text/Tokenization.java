package io.nereid.text;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.nereid.text.tokenizer.TextToken;
import java.util.List;

/** The tokens of a text as JSON: {@code [{"id","text","special","start","stop"}, ...]}. */
final class Tokenization {
  private Tokenization() {}

  static String json(List<TextToken> tokens) {
    var array = new JsonArray(tokens.size());
    for (TextToken token : tokens) {
      var object = new JsonObject();
      object.addProperty("id", token.id());
      object.addProperty("text", token.text());
      object.addProperty("special", token.special());
      object.add("start", place(token.start()));
      object.add("stop", place(token.stop()));
      array.add(object);
    }
    return array.toString();
  }

  private static JsonElement place(int at) {
    return at < 0 ? JsonNull.INSTANCE : new JsonPrimitive(at);
  }
}
