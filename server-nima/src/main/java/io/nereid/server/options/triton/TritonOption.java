package io.nereid.server.options.triton;

import java.util.List;
import java.util.Locale;

/**
 * An option of Triton's command line.
 *
 * @param name with its dashes
 */
public record TritonOption(String name, Outcome outcome) {
  /** The types of values, by the words of the help. */
  public enum ValueType {
    BOOLEAN("<boolean>"),
    INTEGER("<integer>"),
    DECIMAL("<number>"),
    TEXT("<text>"),
    /** {@code <integer>:<number>}. */
    PER_DEVICE("<device>:<number>"),
    /** {@code <integer>-<integer>}. */
    RANGE("<integer>-<integer>");

    private final String label;

    ValueType(String label) {
      this.label = label;
    }

    String label() {
      return label;
    }

    /** Whether a value can be read. */
    boolean accepts(String value) {
      return switch (this) {
        case TEXT -> true;
        case BOOLEAN -> isTrue(value) || isFalse(value);
        case INTEGER -> isInteger(value);
        case DECIMAL -> isNumber(value);
        case PER_DEVICE -> isPair(value, ':');
        case RANGE -> isPair(value, '-');
      };
    }

    private static boolean isInteger(String text) {
      return text.matches("[+-]?[0-9]{1,18}");
    }

    private static boolean isNumber(String text) {
      return text.matches("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?");
    }

    private static boolean isPair(String text, char separator) {
      int end = text.indexOf(separator, 1);
      return end > 0 && isInteger(text.substring(0, end)) && isNumber(text.substring(end + 1));
    }

    private static boolean isFalse(String text) {
      return List.of("false", "off", "0").contains(text.toLowerCase(Locale.ROOT));
    }
  }

  /** What becomes of an option. */
  public sealed interface Outcome {
    /** It does what it does in Triton, but for what {@code remark} says; empty for nothing. */
    record Works(String remark) implements Outcome {}

    /**
     * It is accepted, and a line of the log says that it does nothing, and why.
     *
     * @param type of its values, others are rejected
     */
    record NoEffect(ValueType type, String reason) implements Outcome {}

    /**
     * True stops the start; false is what happens anyway.
     *
     * @param advice what to do instead
     */
    record Refused(String advice) implements Outcome {}
  }

  static boolean isTrue(String text) {
    return List.of("true", "on", "1").contains(text.toLowerCase(Locale.ROOT));
  }

  /** The row of the option in the guide for users of Triton. */
  public String row() {
    return "| `%s` | %s |"
        .formatted(
            name,
            switch (outcome) {
              case Outcome.Works(String remark) -> remark.isEmpty() ? "works" : "works; " + remark;
              case Outcome.NoEffect(_, String reason) -> "no effect: " + reason;
              case Outcome.Refused(String advice) -> "`true` stops the start: " + advice;
            });
  }
}
