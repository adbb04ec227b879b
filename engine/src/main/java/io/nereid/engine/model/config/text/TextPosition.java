package io.nereid.engine.model.config.text;

/**
 * A place in a text.
 *
 * @param line from 1
 * @param column from 1, in characters; a tab is one
 */
public record TextPosition(int line, int column) implements Comparable<TextPosition> {
  public static final TextPosition START = new TextPosition(1, 1);

  @Override
  public int compareTo(TextPosition other) {
    return line == other.line
        ? Integer.compare(column, other.column)
        : Integer.compare(line, other.line);
  }

  @Override
  public String toString() {
    return line + ":" + column;
  }
}
