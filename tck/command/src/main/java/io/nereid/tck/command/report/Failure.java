package io.nereid.tck.command.report;

import io.nereid.tck.support.WireMessage;

/**
 * Why a case failed.
 *
 * @param message what was thrown says
 * @param expected what was compared with, as text; empty if nothing was compared
 * @param actual what came, as text; empty if nothing was compared
 * @param place the test's method and line, such as {@code
 *     HttpInferVerification.addsAndSubtracts:61}
 */
public record Failure(String message, String expected, String actual, String place) {
  public Failure {
    message = WireMessage.limited(message);
    expected = WireMessage.limited(expected);
    actual = WireMessage.limited(actual);
  }
}
