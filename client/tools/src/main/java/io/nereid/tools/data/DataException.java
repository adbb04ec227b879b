package io.nereid.tools.data;

import java.io.Serial;
import java.util.List;

/** What is wrong with a file, or with its fit to a model: one sentence for the user. */
public final class DataException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  public DataException(String sentence) {
    super(sentence);
  }

  /** The first of several names, for a message. */
  public static String listed(List<String> names) {
    int shown = 8;
    return String.join(", ", names.subList(0, Math.min(names.size(), shown)))
        + (names.size() > shown ? " and %d more".formatted(names.size() - shown) : "");
  }

  /** Such as {@code 1 row}, {@code 2 rows}. */
  static String counted(long number, String noun) {
    return number + " " + noun + (number == 1 ? "" : "s");
  }

  /** The sentence. */
  public String sentence() {
    return String.valueOf(getMessage());
  }
}
