package io.nereid.text.folder;

/** How the vectors of tokens become that of their text. */
public enum Pooling {
  /** The first token's. */
  CLS("cls"),
  /** The mean of all tokens. */
  MEAN("mean"),
  /** The last token's. */
  LAST("last-token"),
  /** The graph has pooled. */
  GRAPH("graph");

  private final String label;

  Pooling(String label) {
    this.label = label;
  }

  /** As the parameter {@code pooling} has it. */
  public String label() {
    return label;
  }
}
