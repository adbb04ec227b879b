package io.nereid.server.options.triton;

import java.util.List;
import java.util.Locale;

/**
 * An option of Triton's command line.
 *
 * @param name with its dashes
 */
record TritonOption(String name, Outcome outcome) {
  private static final String WHOLE = "[+-]?[0-9]{1,18}";
  private static final String NUMBER = "[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?";

  /** The types of values, by the words of the help. */
  enum ValueType {
    BOOLEAN("<boolean>", "(?i)true|on|1|false|off|0"),
    INTEGER("<integer>", WHOLE),
    DECIMAL("<number>", NUMBER),
    TEXT("<text>", "(?s).*"),
    PER_DEVICE("<device>:<number>", WHOLE + ":" + NUMBER),
    RANGE("<integer>-<integer>", WHOLE + "-" + NUMBER);

    private final String label;
    private final String pattern;

    ValueType(String label, String pattern) {
      this.label = label;
      this.pattern = pattern;
    }

    String label() {
      return label;
    }

    /** Whether a value can be read. */
    boolean accepts(String value) {
      return value.matches(pattern);
    }
  }

  /** What becomes of an option. */
  sealed interface Outcome {
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
}
