package io.nereid.server.wire;

import java.util.List;

/** One line of a script, or several that belong together. */
sealed interface WireStep {
  /** The client sends these bytes, one character each. */
  record Send(String bytes) implements WireStep {}

  /** The client sends nothing more, but still reads. */
  record HalfClose() implements WireStep {}

  /**
   * The server sends one response.
   *
   * @param hasBody false for a response to HEAD, whose headers announce a body that is not sent
   */
  record Receive(int status, boolean hasBody, List<Expectation> expectations) implements WireStep {}

  /** The server sends nothing more and closes the connection, without a reset. */
  record Closed() implements WireStep {}

  /** The server sends nothing more and answers another request. */
  record Open() implements WireStep {}

  /** What a response must have. */
  sealed interface Expectation {
    /** A header, with any value if {@code value} is empty. */
    record Header(String name, String value) implements Expectation {}

    record NoHeader(String name) implements Expectation {}

    record BodyContains(String text) implements Expectation {}
  }
}
