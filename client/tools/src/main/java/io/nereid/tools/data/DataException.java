package io.nereid.tools.data;

import java.io.Serial;

/** What is wrong with a file, or with its fit to a model: one sentence for the user. */
public final class DataException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  public DataException(String sentence) {
    super(sentence);
  }

  /** The sentence. */
  public String sentence() {
    return String.valueOf(getMessage());
  }
}
