package io.nereid.tck.command.tested;

/** An argument of the command line is wrong; the message is a sentence for its user. */
public final class WrongArgument extends RuntimeException {
  private static final long serialVersionUID = 1;

  public WrongArgument(String message) {
    super(message);
  }
}
