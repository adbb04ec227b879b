package io.nereid.engine.model.config.text;

import io.nereid.engine.model.config.text.Token.Kind;
import java.util.ArrayDeque;
import java.util.Deque;

/** A place between two tokens, and the brackets that are open there. */
final class TokenCursor {
  private final Tokens tokens;
  private final Deque<Token> open = new ArrayDeque<>();
  private int index;

  /** How many brackets of the whole text lack their counterpart and were not reported yet. */
  private int unclosed;

  TokenCursor(Tokens tokens) {
    this.tokens = tokens;
    for (int i = 0; i < tokens.count(); i++) {
      Token token = tokens.get(i);
      unclosed += token.opens() ? 1 : 0;
      unclosed -= token.closes() ? 1 : 0;
    }
  }

  Token peek() {
    return tokens.get(index);
  }

  Token peek(int distance) {
    return tokens.get(index + distance);
  }

  Token next() {
    Token token = tokens.get(index);
    index++;
    return token;
  }

  /** Goes behind the next token if it is this symbol. */
  boolean skip(char symbol) {
    boolean found = peek().is(symbol);
    index += found ? 1 : 0;
    return found;
  }

  boolean atLineBegin() {
    return tokens.beginsLine(index);
  }

  /** Whether a field begins here: a name, and what can only stand behind one. */
  boolean atField() {
    Token behind = peek(1);
    return peek().is(Kind.NAME) && (behind.is(':') || behind.is('=') || behind.opens());
  }

  /** Enters a bracket, which is the next token. */
  Token enter() {
    Token bracket = next();
    open.push(bracket);
    return bracket;
  }

  void leave() {
    open.pop();
  }

  /** Whether a closing bracket fits one that is open around the innermost one. */
  boolean closesOuter(Token closing) {
    return open.stream().skip(1).anyMatch(bracket -> closing.is(counterpart(bracket)));
  }

  static char counterpart(Token bracket) {
    return bracket.is('{') ? '}' : bracket.is('[') ? ']' : '>';
  }

  boolean hasUnclosed() {
    return unclosed > 0;
  }

  void reportedUnclosed() {
    unclosed--;
  }

  /** Goes behind one value: scalars, or a bracket with all that is in it. */
  void skipValue() {
    if (peek().opens()) {
      int depth = 0;
      do {
        Token token = next();
        depth += token.opens() ? 1 : token.closes() ? -1 : 0;
      } while (depth > 0 && !peek().is(Kind.END));
      return;
    }
    boolean string = peek().is(Kind.STRING);
    if (!peek().closes() && !peek().is(Kind.END)) {
      index++;
    }
    while (string && peek().is(Kind.STRING)) {
      index++;
    }
  }

  /** Goes to the next line that begins with a field, or to a bracket that closes. */
  void recover() {
    while (!peek().is(Kind.END) && !peek().closes() && !(atLineBegin() && atField())) {
      skipValue();
    }
  }

  /** Goes to the next field or bracket that closes, or to the end of the line. */
  void recoverInLine() {
    while (!peek().is(Kind.END)
        && !peek().closes()
        && !peek().is(',')
        && !peek().is(';')
        && !atLineBegin()
        && !atField()) {
      skipValue();
    }
  }
}
