package io.nereid.tck.command;

/** What the command exits with. */
final class TckStatus {
  /** No required rule of the run failed, and one passed. */
  static final int CONFORMS = 0;

  /** A required rule failed, or none passed. */
  static final int DOES_NOT_CONFORM = 1;

  /** An argument is wrong, there is no server at the address, or a model does not load. */
  static final int WRONG_ARGUMENT = 2;

  private TckStatus() {}
}
