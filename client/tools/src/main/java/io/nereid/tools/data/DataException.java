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

  /** The sentence. */
  public String sentence() {
    return String.valueOf(getMessage());
  }
}
