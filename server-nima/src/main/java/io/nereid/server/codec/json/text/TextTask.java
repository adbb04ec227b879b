package io.nereid.server.codec.json.text;

import java.util.Arrays;
import java.util.Optional;

/** What a text model is for, and the output that it has for that. */
public enum TextTask {
  EMBEDDING("embedding", "EMBEDDING"),
  RERANK("rerank", "SCORE"),
  CLASSIFY("classify", "SCORES");

  private final String text;
  private final String output;

  TextTask(String text, String output) {
    this.text = text;
    this.output = output;
  }

  static Optional<TextTask> parse(String text) {
    return Arrays.stream(values()).filter(task -> task.text.equals(text)).findFirst();
  }

  String output() {
    return output;
  }

  /** As in the parameters of configurations. */
  @Override
  public String toString() {
    return text;
  }
}
