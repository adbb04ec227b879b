package io.nereid.server.http.message;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;

/**
 * The reader of request lines and header fields (RFC 9112, sections 2, 3 and 5). It is strict where
 * another server might read the same bytes differently: lines end with CRLF, a field's name is
 * followed by its colon, and fields are not folded.
 */
public final class HeadReader {
  /** Empty lines before a request line, which old clients send behind a body. */
  private static final int MAX_EMPTY_LINES = 4;

  private static final BitSet TOKEN = new BitSet(128);

  static {
    TOKEN.set('a', 'z' + 1);
    TOKEN.set('A', 'Z' + 1);
    TOKEN.set('0', '9' + 1);
    "!#$%&'*+-.^_`|~".chars().forEach(TOKEN::set);
  }

  private final HeadLimits limits;

  public HeadReader(HeadLimits limits) {
    this.limits = limits;
  }

  /**
   * Reads a head, whose first bytes may be buffered.
   *
   * @throws EOFException if the input ends within the head
   */
  public RequestHead read(ConnectionInput input) throws IOException {
    skipEmptyLines(input);
    int lines = 0;
    int lineStart = 0;
    int index = 0;
    while (true) {
      while (index < input.buffered()) {
        if (input.at(index) == '\n') {
          if (index == lineStart || input.at(index - 1) != '\r') {
            throw BadRequestException.malformed(
                "a line of the request's head does not end with CRLF");
          }
          check(lines, index + 1 - lineStart, index + 1);
          if (index == lineStart + 1) {
            return parse(input.take(index + 1), lines - 1);
          }
          lines++;
          lineStart = index + 1;
        }
        index++;
      }
      check(lines, index - lineStart, index);
      if (!input.fill()) {
        throw new EOFException("the request's head ends early");
      }
    }
  }

  private static void skipEmptyLines(ConnectionInput input) throws IOException {
    for (int skipped = 0; skipped < MAX_EMPTY_LINES; skipped++) {
      while (input.buffered() < 2) {
        if (input.buffered() == 1 && input.at(0) != '\r') {
          return;
        }
        if (!input.fill()) {
          throw new EOFException("the request's head ends early");
        }
      }
      if (input.at(0) != '\r' || input.at(1) != '\n') {
        return;
      }
      input.skip(2);
    }
  }

  /**
   * Checks the limits.
   *
   * @param lines complete lines before this one
   * @param lineSize of this line, so far
   * @param size of all lines, so far
   */
  private void check(int lines, int lineSize, int size) throws BadRequestException {
    if (lines == 0) {
      if (lineSize > limits.requestLineSize()) {
        throw new BadRequestException(
            414, "the request line is longer than %d bytes".formatted(limits.requestLineSize()));
      }
    } else if (lines > limits.headerCount() && lineSize > 2) {
      throw new BadRequestException(
          431, "the request has more than %d header fields".formatted(limits.headerCount()));
    } else if (size - limits.requestLineSize() > limits.headerSize()) {
      throw tooLarge();
    }
  }

  private BadRequestException tooLarge() {
    return new BadRequestException(
        431,
        "the header fields of the request are larger than %d bytes".formatted(limits.headerSize()));
  }

  /**
   * @param head with all line ends and the empty line
   * @param fieldCount the number of lines between the request line and the empty line
   */
  private RequestHead parse(byte[] head, int fieldCount) throws BadRequestException {
    int lineEnd = lineEnd(head, 0);
    if (head.length - (lineEnd + 2) > limits.headerSize()) {
      throw tooLarge();
    }
    int methodEnd = token(head, 0, lineEnd);
    int targetEnd = methodEnd + 1;
    while (targetEnd < lineEnd && head[targetEnd] > ' ' && head[targetEnd] != 0x7f) {
      targetEnd++;
    }
    if (methodEnd == 0
        || methodEnd == lineEnd
        || head[methodEnd] != ' '
        || targetEnd == methodEnd + 1
        || targetEnd >= lineEnd
        || head[targetEnd] != ' ') {
      throw BadRequestException.malformed(
          "the request line is not '<method> <target> HTTP/1.1' with an ASCII target");
    }
    boolean isHttp10 = isHttp10(text(head, targetEnd + 1, lineEnd));
    int[] fields = new int[4 * fieldCount];
    int lineStart = lineEnd + 2;
    for (int i = 0; i < fields.length; i += 4) {
      lineEnd = lineEnd(head, lineStart);
      field(head, lineStart, lineEnd, fields, i);
      lineStart = lineEnd + 2;
    }
    return new RequestHead(
        head, text(head, 0, methodEnd), text(head, methodEnd + 1, targetEnd), isHttp10, fields);
  }

  /** A higher minor version counts as 1.1, with which it is compatible (RFC 9110, 2.5). */
  private static boolean isHttp10(String version) throws BadRequestException {
    if (version.equals("HTTP/1.1")) {
      return false;
    }
    if (!version.matches("HTTP/[0-9]\\.[0-9]")) {
      throw BadRequestException.malformed(
          "the request line does not end with HTTP/1.1 or HTTP/1.0");
    }
    if (!version.startsWith("HTTP/1.")) {
      throw new BadRequestException(505, "the server speaks HTTP/1.1 and HTTP/1.0, not " + version);
    }
    return version.equals("HTTP/1.0");
  }

  private static void field(byte[] head, int start, int end, int[] fields, int index)
      throws BadRequestException {
    if (head[start] == ' ' || head[start] == '\t') {
      throw BadRequestException.malformed("a header field is folded into two lines");
    }
    int colon = token(head, start, end);
    if (colon == start || colon == end || head[colon] != ':') {
      throw BadRequestException.malformed("a header field is not '<name>: <value>'");
    }
    int valueStart = colon + 1;
    int valueEnd = end;
    while (valueStart < valueEnd && isBlank(head[valueStart])) {
      valueStart++;
    }
    while (valueStart < valueEnd && isBlank(head[valueEnd - 1])) {
      valueEnd--;
    }
    for (int i = valueStart; i < valueEnd; i++) {
      if ((head[i] >= 0 && head[i] < ' ' && head[i] != '\t') || head[i] == 0x7f) {
        throw BadRequestException.malformed(
            "the value of header field '%s' has a control character"
                .formatted(text(head, start, colon)));
      }
    }
    fields[index] = start;
    fields[index + 1] = colon;
    fields[index + 2] = valueStart;
    fields[index + 3] = valueEnd;
  }

  private static boolean isBlank(byte value) {
    return value == ' ' || value == '\t';
  }

  /** Whether a byte may be a part of a method or of a field's name. */
  static boolean isToken(byte value) {
    return value > 0 && TOKEN.get(value);
  }

  /** The end of the token that begins at {@code start}. */
  private static int token(byte[] head, int start, int end) {
    int index = start;
    while (index < end && isToken(head[index])) {
      index++;
    }
    return index;
  }

  private static int lineEnd(byte[] head, int start) {
    int index = start + 1;
    while (head[index] != '\n') {
      index++;
    }
    return index - 1;
  }

  private static String text(byte[] head, int start, int end) {
    return new String(head, start, end - start, StandardCharsets.ISO_8859_1);
  }
}
