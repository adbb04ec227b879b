package io.nereid.tensorrt.library;

/**
 * Why something cannot be used.
 *
 * @param cause what was found and what was expected
 * @param cure what an operator can do
 */
public record Lack(String cause, String cure) {
  /** Cause and cure. */
  @Override
  public String toString() {
    return cause + "; " + cure;
  }
}
