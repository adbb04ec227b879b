package io.nereid.text.folder;

/** What a model makes of texts. */
public enum Task {
  /** A vector of each text. */
  EMBEDDING("embedding"),
  /** How well a text answers a query: one score of each pair. */
  RERANK("rerank"),
  /** A score of each label for a text, or for a pair. */
  CLASSIFY("classify");

  private final String label;

  Task(String label) {
    this.label = label;
  }

  /** As the parameter {@code task} has it. */
  public String label() {
    return label;
  }
}
