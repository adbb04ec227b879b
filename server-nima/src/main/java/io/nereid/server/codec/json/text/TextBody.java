package io.nereid.server.codec.json.text;

import io.nereid.engine.memory.Lease;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.server.codec.RequestLimits;
import io.nereid.server.codec.json.document.JsonDocument;
import io.nereid.server.codec.json.document.JsonValue;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request to a text API: an object. A member that is null counts as absent, and one
 * that is not known is ignored, since clients send what other servers know. Owns the body. Used by
 * the thread of a request.
 */
public final class TextBody implements AutoCloseable {
  /** The most members of the object. */
  private static final int MAX_MEMBERS = RequestLimits.MAX_PARAMETERS;

  private final JsonDocument document;
  private final Map<String, JsonValue> members = new HashMap<>();

  /** Null once it is closed. */
  private @Nullable Lease lease;

  private TextBody(Lease lease) {
    this.lease = lease;
    document = JsonDocument.parse(lease.segment());
    JsonValue root = document.root();
    if (!root.isObject()) {
      throw InferenceException.invalid(
          "the body must be a JSON object, and is %s".formatted(kind(root)));
    }
    for (JsonValue.Member member : root.members(MAX_MEMBERS, "members", RequestLimits.MAX_NAME)) {
      if (members.putIfAbsent(member.name(), member.value()) != null) {
        throw InferenceException.invalid("the body has '%s' twice".formatted(member.name()));
      }
    }
  }

  /**
   * Checks a body.
   *
   * @param body taken; UTF-8
   * @throws InferenceException INVALID_ARGUMENT if it is no JSON object
   */
  public static TextBody parse(Lease body) {
    try {
      return new TextBody(body);
    } catch (InferenceException refused) {
      body.close();
      throw refused.code() == StatusCode.INTERNAL // as Triton has it for malformed JSON
          ? InferenceException.invalid(refused.getMessage())
          : refused;
    } catch (Throwable thrown) {
      body.close();
      throw thrown;
    }
  }

  /** Releases the body, if that was not done before. */
  @Override
  public void close() {
    Lease open = lease;
    lease = null;
    if (open != null) {
      open.close();
    }
  }

  /** The size of the JSON. */
  public long byteSize() {
    return document.text().end();
  }

  /** Whether there is a member of that name that is not null. */
  boolean has(String name) {
    return find(name) != null;
  }

  private @Nullable JsonValue find(String name) {
    JsonValue value = members.get(name);
    return value == null || value.isNull() ? null : value;
  }

  private @Nullable JsonValue find(String name, Predicate<JsonValue> isOfType, String expected) {
    JsonValue value = find(name);
    if (value != null && !isOfType.test(value)) {
      throw mistyped(name, expected, value);
    }
    return value;
  }

  JsonValue required(String name) {
    JsonValue value = find(name);
    if (value == null) {
      throw InferenceException.invalid("the request has no '%s'".formatted(name));
    }
    return value;
  }

  /** A short string. */
  public Optional<String> string(String name) {
    JsonValue value = find(name, JsonValue::isString, "a string");
    return value == null
        ? Optional.empty()
        : Optional.of(value.asString("'" + name + "'", RequestLimits.MAX_NAME));
  }

  Optional<Boolean> flag(String name) {
    JsonValue value = find(name, JsonValue::isBoolean, "true or false");
    return value == null ? Optional.empty() : Optional.of(value.asBoolean());
  }

  /** An integer from 1 on. */
  OptionalLong count(String name) {
    JsonValue value = find(name, JsonValue::isLong, "an integer");
    if (value == null) {
      return OptionalLong.empty();
    }
    long number = value.asLong();
    if (number < 1) {
      throw InferenceException.invalid("'%s' must be 1 or more, and is %d".formatted(name, number));
    }
    return OptionalLong.of(number);
  }

  /** A list of nothing yet. */
  TextList noTexts() {
    return new TextList(document.text());
  }

  /** The value at a position of the body. */
  JsonValue at(String name, int position) {
    return new JsonValue(document, name, position);
  }

  static InferenceException mistyped(String name, String expected, JsonValue value) {
    return InferenceException.invalid(
        "'%s' must be %s, and is %s".formatted(name, expected, kind(value)));
  }

  static String kind(JsonValue value) {
    if (value.isString()) {
      return "a string";
    }
    if (value.isNumber()) {
      return "a number";
    }
    if (value.isArray()) {
      return "an array";
    }
    if (value.isObject()) {
      return "an object";
    }
    return value.isNull() ? "null" : value.asBoolean() ? "true" : "false";
  }
}
