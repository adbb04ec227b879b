package io.nereid.server.codec.json.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.testing.Failures;
import io.nereid.error.StatusCode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonDocumentTest {
  private static JsonValue parse(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    var segment = Arena.ofAuto().allocate(utf8.length);
    return JsonDocument.parse(segment.copyFrom(MemorySegment.ofArray(utf8))).root();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "``|The document is empty.|0",
        "`  `|The document is empty.|2",
        "x|Invalid value.|0",
        "{} {}|The document root must not be followed by other values.|3",
        "`{}\0`|The document root must not be followed by other values.|2",
        "01|The document root must not be followed by other values.|1",
        "{1:2}|Missing a name for object member.|1",
        "{|Missing a name for object member.|1",
        "{\"a\":1,}|Missing a name for object member.|7",
        "{\"a\" 1}|Missing a colon after a name of object member.|5",
        "{\"a\":1 \"b\"}|Missing a comma or } after an object member.|7",
        "{\"a\":1]|Missing a comma or } after an object member.|6",
        "{\"a\":}|Invalid value.|5",
        "[1 2]|Missing a comma or ] after an array element.|3",
        "[1|Missing a comma or ] after an array element.|2",
        "[1}|Missing a comma or ] after an array element.|2",
        "[[1],[2}]|Missing a comma or ] after an array element.|7",
        "[1,]|Invalid value.|3",
        "[,1]|Invalid value.|1",
        "[1,,2]|Invalid value.|3",
        "[|Invalid value.|1",
        "tru|Invalid value.|3",
        "[nul]|Invalid value.|4",
        "NaM|Invalid value.|2",
        "-|Invalid value.|1",
        "[-x]|Invalid value.|2",
        "[.5]|Invalid value.|1",
        "[+1]|Invalid value.|1",
        "Infinit|Invalid value.|7",
        "[1.]|Miss fraction part in number.|3",
        "[1e]|Miss exponent in number.|3",
        "[1e+]|Miss exponent in number.|4",
        "[1,1e309]|Number too big to be stored in double.|3",
        "\"a|Missing a closing quotation mark in string.|2",
        "\"a\\x\"|Invalid escape character in string.|2",
        "\"\\u12g4\"|Incorrect hex digit after \\u escape in string.|1",
        "\"\\ud83d\"|The surrogate pair in string is invalid.|1",
        "\"\\ude00\"|The surrogate pair in string is invalid.|1",
        "\"\\ud83d\\u0041\"|The surrogate pair in string is invalid.|1",
      })
  void reportsTheErrorAndItsOffset(String text, String reason, int offset) {
    Failures.assertRejected(
        StatusCode.INTERNAL,
        "failed to parse the request JSON buffer: %s at %d".formatted(reason, offset),
        () -> parse(text));
  }

  @Test
  void rejectsControlCharactersInStrings() {
    Failures.assertRejected(
        StatusCode.INTERNAL,
        "failed to parse the request JSON buffer: Invalid encoding in string. at 2",
        () -> parse("\"a\nb\""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null", "true", " false ", "0",
        "-0", "1.5e-7", "NaN", "-NaN",
        "Inf", "-Inf", "Infinity", "-Infinity",
        "\"\"", "[]", "{}", "[[],{}]",
        "[[[1,2],[3]],{\"a\":[1,{}]},\"x\"]", "\uFEFF{}", "1e-400", "{\"a\":{\"b\":[]},\"c\":[[]]}"
      })
  void acceptsWellFormedDocuments(String text) {
    assertThat(parse(text)).isNotNull();
  }

  @Test
  void findsTheFirstMemberOfAName() {
    JsonValue root = parse("{\"x\":[{\"a\":9}],\"a\":1,\"\\u0061\":2,\"a\":3,\"ü\":4}");

    assertThat(root.required("a").asLong()).isEqualTo(1);
    assertThat(root.required("ü").asLong()).isEqualTo(4);
    assertThat(root.member("b")).isEmpty();
    assertThat(root.members(Integer.MAX_VALUE, "members", Integer.MAX_VALUE))
        .extracting(JsonValue.Member::name)
        .containsExactly("x", "a", "a", "a", "ü");
    assertThat(parse("{\"\\u0061\":2}").required("a").asLong()).isEqualTo(2);
  }

  @Test
  void readsArraysOfMixedValues() {
    List<JsonValue> elements =
        parse("[1, [2, {\"a\":[3]}, \"]\"] ,{\"b\":{}},\"s\\\"\", true,false,null, -Inf]")
            .elements();

    assertThat(elements).hasSize(8);
    assertThat(elements.get(1).elements().get(1).required("a").elements().getFirst().asLong())
        .isEqualTo(3);
    assertThat(
            elements.get(2).required("b").members(Integer.MAX_VALUE, "members", Integer.MAX_VALUE))
        .isEmpty();
    assertThat(elements.get(3).asString()).isEqualTo("s\"");
    assertThat(elements.get(6).isNull()).isTrue();
    assertThat(elements.get(7).asDouble()).isEqualTo(Double.NEGATIVE_INFINITY);
    assertThat(parse("[]").elements()).isEmpty();
  }

  @Test
  void unescapesStrings() {
    assertThat(
            parse("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20AC\\ud83d\\ude00é€😀\"")
                .asString())
        .isEqualTo("\"\\/\b\f\n\r\tAé€😀é€😀");
  }

  @Test
  void distinguishesIntegersBySizeAndNotation() {
    assertThat(parse("18446744073709551615").asUnsignedLong()).isEqualTo(-1);
    assertThat(parse("18446744073709551615").isLong()).isFalse();
    assertThat(parse("18446744073709551616").isUnsignedLong()).isFalse();
    assertThat(parse("-9223372036854775808").asLong()).isEqualTo(Long.MIN_VALUE);
    assertThat(parse("-9223372036854775809").isLong()).isFalse();
    assertThat(parse("9223372036854775808").isLong()).isFalse();
    assertThat(parse("-1").isUnsignedLong()).isFalse();
    assertThat(parse("-0").asUnsignedLong()).isZero();
    assertThat(parse("1.0").isLong()).isFalse();
    assertThat(parse("1e0").isLong()).isFalse();
    assertThat(parse("true").isLong()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "asString,non-string as string",
    "asBoolean,non-boolean as boolean",
    "elements,non-array as array",
    "asLong,non-signed-integer as signed-integer",
    "asUnsignedLong,non-unsigned-integer as unsigned-integer",
    "asDouble,non-number as double"
  })
  void namesTheMemberOfTheWrongType(String accessor, String text) {
    JsonValue value = parse("{\"k\":null}").required("k");

    Failures.assertRejected(
        StatusCode.INTERNAL,
        "Unable to parse 'k': attempt to access JSON " + text,
        () -> {
          switch (accessor) {
            case "asString" -> value.asString();
            case "asBoolean" -> value.asBoolean();
            case "elements" -> value.elements();
            case "asLong" -> value.asLong();
            case "asUnsignedLong" -> value.asUnsignedLong();
            default -> value.asDouble();
          }
        });
  }

  @Test
  void readsNestingTooDeepForRecursion() {
    int depth = 40_000;

    assertThat(parse("[".repeat(depth) + "]".repeat(depth)).isArray()).isTrue();
    assertThat(parse("{\"a\":".repeat(depth) + "1" + "}".repeat(depth)).isObject()).isTrue();
    assertThat(parse("[{\"a\":".repeat(depth) + "1" + "}]".repeat(depth)).isArray()).isTrue();
    Failures.assertRejected(
        StatusCode.INTERNAL,
        "failed to parse the request JSON buffer: Invalid value. at " + depth,
        () -> parse("[".repeat(depth)));
  }

  @Test
  void limitsTheTape() {
    Failures.assertRejected(
        StatusCode.INVALID_ARGUMENT,
        "JSON has more than 65536 objects and members",
        () -> parse("[" + "{},".repeat(131_072) + "{}]"));
  }
}
