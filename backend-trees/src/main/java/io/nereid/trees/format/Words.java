package io.nereid.trees.format;

/** The words of a line, which spaces separate. */
final class Words {
  private final String line;
  private int at;

  Words(String line) {
    this.line = line;
  }

  /** The number of words from here on. */
  int count() {
    int count = 0;
    for (int i = at; i < line.length(); i++) {
      if (line.charAt(i) != ' ' && (i == at || line.charAt(i - 1) == ' ')) {
        count++;
      }
    }
    return count;
  }

  /** The next word; empty if there is none. */
  String next() {
    while (at < line.length() && line.charAt(at) == ' ') {
      at++;
    }
    int from = at;
    while (at < line.length() && line.charAt(at) != ' ') {
      at++;
    }
    return line.substring(from, at);
  }
}
