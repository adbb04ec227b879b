package io.nereid.server.codec.json.document;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.testing.FuzzedMemory;
import io.nereid.error.InferenceException;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Any bytes as a JSON document, and Gson as the judge of its grammar and values. */
class JsonDocumentFuzzTest {
  /** What our parser accepts beyond RFC 8259, as Triton's does: NaN and the infinities. */
  private static final Pattern NAMED_NUMBER = Pattern.compile("NaN|Inf");

  /**
   * What our parser rejects, as Triton's does: surrogates that are no pair, and numbers beyond the
   * range of a double. And what Gson rejects: a number whose first digits are 0 modulo 2^64.
   */
  private static final Pattern REJECTED =
      Pattern.compile("\\\\u[dD][89a-fA-F]|[eE]\\+?[0-9]{3}|[0-9]{60}");

  private static final int MAX_DEPTH = 200;

  @FuzzTest
  void hasTheValuesThatGsonReads(byte[] input) {
    FuzzedMemory.run(
        input,
        memory -> {
          try (Lease text = memory.copyOf(input)) {
            Optional<List<Object>> ours = ours(text);
            String decoded = new String(input, UTF_8);
            boolean sameGrammar =
                !NAMED_NUMBER.matcher(decoded).find() && !REJECTED.matcher(decoded).find();
            if (sameGrammar) {
              assertThat(ours).isEqualTo(gsons(decoded));
            }
          }
        });
  }

  private static Optional<List<Object>> ours(Lease text) {
    try {
      JsonDocument document = JsonDocument.parse(text.segment());
      List<Object> values = new ArrayList<>();
      flatten(document.root(), values, 0);
      return Optional.of(values);
    } catch (InferenceException malformed) {
      assertThat(malformed.getStackTrace()).as("a failure that clients cause").isEmpty();
      return Optional.empty();
    }
  }

  /** Adds the tokens of a value: brackets, names and scalars, in the order of the text. */
  private static void flatten(JsonValue value, List<Object> tokens, int depth) {
    if (depth > MAX_DEPTH) {
      throw InferenceException.invalid("the test does not go deeper");
    }
    if (value.isObject()) {
      tokens.add(JsonToken.BEGIN_OBJECT);
      for (JsonValue.Member member :
          value.members(Integer.MAX_VALUE, "members", Integer.MAX_VALUE)) {
        tokens.add(member.name());
        flatten(member.value(), tokens, depth + 1);
      }
      tokens.add(JsonToken.END_OBJECT);
    } else if (value.isArray()) {
      tokens.add(JsonToken.BEGIN_ARRAY);
      value.elements().forEach(element -> flatten(element, tokens, depth + 1));
      tokens.add(JsonToken.END_ARRAY);
    } else if (value.isString()) {
      tokens.add(value.asString());
    } else if (value.isBoolean()) {
      tokens.add(value.asBoolean());
    } else if (value.isNull()) {
      tokens.add(JsonToken.NULL);
    } else {
      tokens.add(value.asDouble());
    }
  }

  private static Optional<List<Object>> gsons(String text) {
    List<Object> tokens = new ArrayList<>();
    try (var reader = new JsonReader(new StringReader(text))) {
      reader.setStrictness(Strictness.STRICT);
      reader.setNestingLimit(MAX_DEPTH);
      for (JsonToken next = reader.peek(); next != JsonToken.END_DOCUMENT; next = reader.peek()) {
        tokens.add(read(reader, next));
      }
      return Optional.of(tokens);
    } catch (IOException | NumberFormatException malformed) {
      return Optional.empty();
    }
  }

  private static Object read(JsonReader reader, JsonToken next) throws IOException {
    switch (next) {
      case BEGIN_ARRAY -> reader.beginArray();
      case END_ARRAY -> reader.endArray();
      case BEGIN_OBJECT -> reader.beginObject();
      case END_OBJECT -> reader.endObject();
      case NULL -> reader.nextNull();
      case NAME -> {
        return reader.nextName();
      }
      case STRING -> {
        return reader.nextString();
      }
      case NUMBER -> {
        return Double.parseDouble(reader.nextString());
      }
      case BOOLEAN -> {
        return reader.nextBoolean();
      }
      case END_DOCUMENT -> throw new IllegalStateException("the end is not a value");
    }
    return next;
  }
}
