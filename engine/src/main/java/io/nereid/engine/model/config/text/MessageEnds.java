package io.nereid.engine.model.config.text;

import io.nereid.engine.model.config.text.Token.Kind;

/**
 * Finds where messages and lists end, and reports brackets that are missing, too many, or of the
 * wrong kind.
 */
record MessageEnds(SourceText source, TokenCursor cursor, TextProblems problems) {
  /**
   * Whether a message ends here; goes behind the bracket that closes it. It also ends at a field of
   * a message around it if its own bracket is missing, and at the end of the text.
   */
  boolean ends(Scope scope) {
    while (cursor.peek().closes()) {
      if (close(scope, cursor.peek())) {
        return true;
      }
    }
    Token token = cursor.peek();
    if (!token.is(Kind.END)) {
      return isOfOuter(scope, token);
    }
    if (scope.open() != null) {
      problems.skipped(
          scope.open().begin(),
          scope.path(),
          "this '%s' is not closed".formatted(scope.open().text()));
    }
    return true;
  }

  /** Handles a closing bracket; returns whether it ends the message. */
  private boolean close(Scope scope, Token token) {
    Token open = scope.open();
    if (open == null) {
      problems.skipped(token.begin(), FieldPath.ROOT, token.shown() + " closes nothing");
      cursor.next();
      return false;
    }
    if (token.is(TokenCursor.counterpart(open))) {
      cursor.next();
    } else {
      closedBy(token, open, scope.path());
    }
    return true;
  }

  /** Reports a closing bracket of another kind; goes behind it unless it closes an outer one. */
  private void closedBy(Token token, Token open, FieldPath path) {
    problems.skipped(
        token.begin(),
        path,
        "expected '%s' for the '%s' at %s, got %s"
            .formatted(
                TokenCursor.counterpart(open),
                open.text(),
                source.position(open.begin()),
                token.shown()));
    if (cursor.hasUnclosed() && cursor.closesOuter(token)) {
      cursor.reportedUnclosed();
    } else {
      cursor.next();
    }
  }

  /**
   * Whether a field ends the message because its closing bracket is missing: the message has no
   * such field, one around it has, and the text has more opening brackets than closing ones.
   */
  private boolean isOfOuter(Scope scope, Token token) {
    Token open = scope.open();
    if (open == null || !cursor.hasUnclosed() || !cursor.atField() || scope.has(token.text())) {
      return false;
    }
    for (Scope outer = scope.outer(); outer != null; outer = outer.outer()) {
      if (outer.has(token.text())) {
        unclosed(open, token, scope.path());
        return true;
      }
    }
    return false;
  }

  /**
   * Whether a list ends here; goes behind the bracket that closes it.
   *
   * @param open its opening bracket
   */
  boolean ends(Token open, FieldPath path) {
    Token token = cursor.peek();
    if (cursor.skip(']')) {
      return true;
    }
    if (token.is(Kind.END)) {
      problems.skipped(open.begin(), path, "this '[' is not closed");
      return true;
    }
    if (cursor.hasUnclosed() && cursor.atField()) {
      unclosed(open, token, path);
      return true;
    }
    if (token.closes()) {
      closedBy(token, open, path);
      return true;
    }
    return false;
  }

  private void unclosed(Token open, Token next, FieldPath path) {
    cursor.reportedUnclosed();
    problems.skipped(
        open.begin(),
        path,
        "this '%s' is not closed before %s at %s"
            .formatted(open.text(), next.shown(), source.position(next.begin())));
  }
}
