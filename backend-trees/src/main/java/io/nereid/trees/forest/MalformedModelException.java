package io.nereid.trees.forest;

import java.io.IOException;

/**
 * A file that is no model that can be served; the message says why in one line, without the file's
 * name.
 */
public final class MalformedModelException extends IOException {
  private static final int MAX_LENGTH = 300;

  private static final long serialVersionUID = 1L;

  /**
   * A failure.
   *
   * @param message may quote the file: control characters become question marks, and what is long
   *     is cut off
   */
  public MalformedModelException(String message) {
    super(line(message));
  }

  /** The message; never null. */
  @Override
  public String getMessage() {
    String message = super.getMessage();
    return message == null ? "" : message;
  }

  private static String line(String message) {
    String line =
        message.codePoints().anyMatch(Character::isISOControl) ? visible(message) : message;
    return line.length() <= MAX_LENGTH ? line : line.substring(0, MAX_LENGTH) + "...";
  }

  private static String visible(String text) {
    return text.codePoints()
        .map(character -> Character.isISOControl(character) ? '?' : character)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }
}
