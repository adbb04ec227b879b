package io.nereid.server.http.message;

import java.util.BitSet;
import java.util.List;

/** How long a request's body is, and whether the connection outlives it (RFC 9112, 6.3 and 9.3). */
public final class Framing {
  /** The body of a request that declares none. */
  public static final BodyReader NO_BODY = new NoBody();

  /** The most digits that a long holds in any case. */
  private static final int MAX_DIGITS = 18;

  /** The characters of a name: unreserved, percent signs and most delimiters. */
  private static final BitSet NAME = new BitSet(128);

  static {
    NAME.set('a', 'z' + 1);
    NAME.set('A', 'Z' + 1);
    NAME.set('0', '9' + 1);
    "-._~%!$&'()*+;=".chars().forEach(NAME::set);
  }

  private Framing() {}

  /**
   * Returns the body that a head announces.
   *
   * @throws BadRequestException if another server might find another end of the body
   */
  public static BodyReader body(RequestHead head, ConnectionInput input)
      throws BadRequestException {
    List<String> encodings = head.values("Transfer-Encoding");
    List<String> lengths = head.values("Content-Length");
    if (!encodings.isEmpty()) {
      if (head.isHttp10() || !lengths.isEmpty()) {
        throw BadRequestException.malformed(
            "a request with Transfer-Encoding has neither HTTP/1.0 nor Content-Length");
      }
      requireChunked(String.join(",", encodings));
      return new ChunkedBody(input);
    }
    if (lengths.isEmpty()) {
      return NO_BODY;
    }
    if (lengths.size() > 1) {
      throw BadRequestException.malformed("Content-Length is given twice");
    }
    long length = length(lengths.getFirst());
    return length == 0 ? NO_BODY : new LengthBody(input, length);
  }

  /** Checks transfer codings: the last must be chunked, else nothing tells where the body ends. */
  private static void requireChunked(String list) throws BadRequestException {
    String[] codings = list.split(",", -1);
    String message = "Transfer-Encoding is not 'chunked' but '%s'".formatted(list);
    for (int i = 0; i < codings.length; i++) {
      boolean isLast = i == codings.length - 1;
      if (codings[i].strip().equalsIgnoreCase("chunked") != isLast) {
        throw BadRequestException.malformed(message);
      }
    }
    if (codings.length > 1) {
      throw new BadRequestException(501, message);
    }
  }

  private static long length(String text) throws BadRequestException {
    if (text.isEmpty() || !text.chars().allMatch(value -> value >= '0' && value <= '9')) {
      throw BadRequestException.malformed("Unable to parse Content-Length, got: " + text);
    }
    int zeros = 0;
    while (zeros < text.length() - 1 && text.charAt(zeros) == '0') {
      zeros++;
    }
    if (text.length() - zeros > MAX_DIGITS) {
      throw BadRequestException.malformed(
          "Unable to parse Content-Length, value is out of range [ -2147483648, 2147483647 ], got: "
              + text);
    }
    return Long.parseLong(text, zeros, text.length(), 10);
  }

  /** Whether the client wants to send further requests. */
  public static boolean isKeptAlive(RequestHead head) {
    return !head.lists("Connection", "close")
        && (!head.isHttp10() || head.lists("Connection", "keep-alive"));
  }

  /**
   * Checks the fields that HTTP/1.1 requires of every request.
   *
   * @return whether the client waits for {@code 100 Continue} before it sends the body
   */
  public static boolean expectsContinue(RequestHead head) throws BadRequestException {
    List<String> hosts = head.values("Host");
    if (hosts.size() > 1 || (hosts.isEmpty() && !head.isHttp10())) {
      throw BadRequestException.malformed(
          "a request has one Host, this one has " + (hosts.isEmpty() ? "none" : hosts.size()));
    }
    if (!hosts.isEmpty() && !isHost(hosts.getFirst())) {
      throw BadRequestException.malformed(
          "Host is not a name or an address, with or without a port: " + hosts.getFirst());
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

  /** Whether a text is a name, an address or nothing, and maybe a port (RFC 3986, 3.2.2). */
  private static boolean isHost(String text) {
    int port = text.indexOf(':', text.indexOf(']') + 1);
    int nameEnd = port < 0 ? text.length() : port;
    boolean isLiteral = text.startsWith("[") && text.charAt(nameEnd - 1) == ']';
    for (int i = 0; i < text.length(); i++) {
      char letter = text.charAt(i);
      boolean isValid =
          i > nameEnd
              ? letter >= '0' && letter <= '9'
              : i == nameEnd || (isLiteral && letter > ' ') || NAME.get(letter);
      if (!isValid) {
        return false;
      }
    }
    return true;
  }
}
