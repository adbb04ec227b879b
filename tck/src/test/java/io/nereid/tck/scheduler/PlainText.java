package io.nereid.tck.scheduler;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A reader of the part of protobuf's text format that the configurations of this package use. */
final class PlainText {
  private static final Pattern TOKEN = Pattern.compile("\"([^\"]*)\"|[A-Za-z0-9_.+-]+|[{}\\[\\]]");

  private final Map<String, List<String>> values = new HashMap<>();
  private final Map<String, List<PlainText>> messages = new HashMap<>();

  private PlainText() {}

  static PlainText parse(String text) {
    Matcher tokens = TOKEN.matcher(text);
    var root = new PlainText();
    while (tokens.find()) {
      root.readField(tokens);
    }
    return root;
  }

  /** The last value of a field, or {@code otherwise}. */
  String value(String field, String otherwise) {
    return values.containsKey(field) ? values.get(field).getLast() : otherwise;
  }

  long number(String field, long otherwise) {
    return Long.parseLong(value(field, Long.toString(otherwise)));
  }

  boolean flag(String field) {
    return value(field, "false").equals("true");
  }

  List<Long> numbers(String field) {
    return values.getOrDefault(field, List.of()).stream().map(Long::valueOf).toList();
  }

  List<PlainText> messages(String field) {
    return messages.getOrDefault(field, List.of());
  }

  private void readField(Matcher tokens) {
    String field = tokens.group();
    String value = next(tokens);
    switch (value) {
      case "{" -> {
        var message = new PlainText();
        while (!next(tokens).equals("}")) {
          message.readField(tokens);
        }
        messages.computeIfAbsent(field, _ -> new ArrayList<>()).add(message);
      }
      case "[" -> {
        for (value = next(tokens); !value.equals("]"); value = next(tokens)) {
          add(field, value);
        }
      }
      default -> add(field, value);
    }
  }

  private void add(String field, String value) {
    values.computeIfAbsent(field, _ -> new ArrayList<>()).add(value.replace("\"", ""));
  }

  private static String next(Matcher tokens) {
    if (!tokens.find()) {
      throw new NoSuchElementException("the text ends too early");
    }
    return tokens.group();
  }
}
