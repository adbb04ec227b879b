package io.nereid.tck.command;

/** An argument of the command line is wrong; the message is a sentence for its user. */
final class WrongArgument extends RuntimeException {
  private static final long serialVersionUID = 1;

  WrongArgument(String message) {
    super(message);
  }
}
