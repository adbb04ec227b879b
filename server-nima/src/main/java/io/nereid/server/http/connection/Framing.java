package io.nereid.server.http.connection;

import java.util.List;

/** How long a request's body is, and whether the connection outlives it (RFC 9112, 6.3 and 9.3). */
final class Framing {
  /** The most digits that a long holds in any case. */
  private static final int MAX_DIGITS = 18;

  private Framing() {}

  /**
   * Returns the body that a head announces.
   *
   * @throws BadRequestException if another server might find another end of the body
   */
  static BodyReader body(RequestHead head, ConnectionInput input) throws BadRequestException {
    List<String> encodings = head.values("Transfer-Encoding");
    List<String> lengths = head.values("Content-Length");
    if (!encodings.isEmpty()) {
      if (head.isHttp10() || !lengths.isEmpty()) {
        throw BadRequestException.malformed(
            "a request with Transfer-Encoding has neither HTTP/1.0 nor Content-Length");
      }
      if (encodings.size() > 1 || !encodings.getFirst().equalsIgnoreCase("chunked")) {
        throw new BadRequestException(
            501,
            "Transfer-Encoding is not 'chunked' but '%s'".formatted(String.join(", ", encodings)));
      }
      return new ChunkedBody(input);
    }
    if (lengths.isEmpty()) {
      return new NoBody();
    }
    if (lengths.size() > 1) {
      throw BadRequestException.malformed("Content-Length is given twice");
    }
    long length = length(lengths.getFirst());
    return length == 0 ? new NoBody() : new LengthBody(input, length);
  }

  private static long length(String text) throws BadRequestException {
    if (text.isEmpty() || !text.chars().allMatch(value -> value >= '0' && value <= '9')) {
      throw BadRequestException.malformed("Unable to parse Content-Length, got: " + text);
    }
    if (text.length() > MAX_DIGITS) {
      throw BadRequestException.malformed(
          "Unable to parse Content-Length, value is out of range [ -2147483648, 2147483647 ], got: "
              + text);
    }
    return Long.parseLong(text);
  }

  /** Whether the client wants to send further requests. */
  static boolean isKeptAlive(RequestHead head) {
    return head.isHttp10()
        ? head.lists("Connection", "keep-alive")
        : !head.lists("Connection", "close");
  }

  /**
   * Checks the fields that HTTP/1.1 requires of every request.
   *
   * @return whether the client waits for {@code 100 Continue} before it sends the body
   */
  static boolean expectsContinue(RequestHead head) throws BadRequestException {
    int hosts = head.values("Host").size();
    if (hosts > 1 || hosts == 0 && !head.isHttp10()) {
      throw BadRequestException.malformed(
          "a request has one Host, this one has " + (hosts == 0 ? "none" : hosts));
    }
    List<String> expected = head.values("Expect");
    if (head.isHttp10() || expected.isEmpty()) {
      return false;
    }
    if (expected.size() > 1 || !expected.getFirst().equalsIgnoreCase("100-continue")) {
      throw new BadRequestException(
          417, "Expect is not '100-continue' but '%s'".formatted(String.join(", ", expected)));
    }
    return true;
  }
}
