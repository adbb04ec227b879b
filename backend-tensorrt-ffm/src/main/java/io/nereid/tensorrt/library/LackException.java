package io.nereid.tensorrt.library;

/** Ends a search that cannot succeed any more. */
final class LackException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Lack lack;

  LackException(Lack lack) {
    super(lack.toString());
    this.lack = lack;
  }

  LackException(String cause, String cure) {
    this(new Lack(cause, cure));
  }

  Lack lack() {
    return lack;
  }
}
