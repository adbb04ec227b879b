package io.nereid.tools.load.transport;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * An incremental reader of the HTTP/1.1 responses on one connection. It counts the bytes of bodies
 * and drops them, but for the first of failures. Bodies have a {@code Content-Length} or are
 * chunked.
 */
final class HttpResponseReader {
  private enum Part {
    STATUS,
    HEADERS,
    BODY,
    CHUNK_SIZE,
    CHUNK,
    CHUNK_END,
    TRAILERS
  }

  private static final int MAX_LINE = 8 << 10;
  private static final byte[] CONTENT_LENGTH = ascii("content-length:");
  private static final byte[] TRANSFER_ENCODING = ascii("transfer-encoding:");
  private static final byte[] CONNECTION = ascii("connection:");
  private static final int STATUS_AT = "HTTP/1.1 ".length();
  private static final int HEX = 16;
  private static final int OK = 200;
  private static final int MAX_TEXT = 1000;

  private final byte[] line = new byte[MAX_LINE];
  private int lineLength;
  private Part part = Part.STATUS;
  private long left;
  private int status;
  private long bodyBytes;
  private long wireBytes;
  private boolean chunked;
  private boolean closing;
  private final byte[] text = new byte[MAX_TEXT];

  /** The status of the response that {@link #read} completed. */
  int status() {
    return status;
  }

  /** The length of its body. */
  long bodyBytes() {
    return bodyBytes;
  }

  /** The first bytes of its body, in one line, if its status is not 200; else empty. */
  String failure() {
    int length = status == OK ? 0 : (int) Math.min(bodyBytes, MAX_TEXT);
    return new String(text, 0, length, StandardCharsets.UTF_8).replaceAll("\\s+", " ").strip();
  }

  /** Its length including the head. */
  long wireBytes() {
    return wireBytes;
  }

  /** Whether it has {@code Connection: close}. */
  boolean closing() {
    return closing;
  }

  /** Reads bytes up to the end of a response, and returns whether the response is complete. */
  boolean read(ByteBuffer in) throws ProtocolException {
    int before = in.position();
    if (part == Part.STATUS && lineLength == 0) {
      begin();
    }
    boolean complete = false;
    while (!complete && in.hasRemaining()) {
      complete =
          switch (part) {
            case BODY -> skip(in);
            case CHUNK -> {
              if (skip(in)) {
                part = Part.CHUNK_END;
              }
              yield false;
            }
            case STATUS, HEADERS, CHUNK_SIZE, CHUNK_END, TRAILERS -> readLine(in) && endOfLine();
          };
    }
    wireBytes += in.position() - before;
    if (complete) {
      part = Part.STATUS;
    }
    return complete;
  }

  private void begin() {
    status = 0;
    left = 0;
    bodyBytes = 0;
    wireBytes = 0;
    chunked = false;
    closing = false;
  }

  private boolean skip(ByteBuffer in) {
    int bytes = (int) Math.min(left, in.remaining());
    if (status != OK && bodyBytes < MAX_TEXT) {
      int at = (int) bodyBytes;
      in.get(in.position(), text, at, Math.min(bytes, MAX_TEXT - at));
    }
    in.position(in.position() + bytes);
    left -= bytes;
    bodyBytes += bytes;
    return left == 0;
  }

  /** Appends bytes to {@link #line}, and returns whether the line is complete. */
  private boolean readLine(ByteBuffer in) throws ProtocolException {
    while (in.hasRemaining()) {
      byte next = in.get();
      if (next == '\n') {
        return true;
      }
      if (lineLength == MAX_LINE) {
        throw new ProtocolException("header line of more than %d bytes".formatted(MAX_LINE));
      }
      if (next != '\r') {
        line[lineLength++] = next;
      }
    }
    return false;
  }

  private boolean endOfLine() throws ProtocolException {
    int length = lineLength;
    lineLength = 0;
    switch (part) {
      case STATUS -> {
        status = (int) number(STATUS_AT, Math.min(length, STATUS_AT + 3), 10);
        part = Part.HEADERS;
      }
      case HEADERS -> {
        if (length > 0) {
          header(length);
          return false;
        }
        part = chunked ? Part.CHUNK_SIZE : Part.BODY;
        return !chunked && left == 0;
      }
      case CHUNK_SIZE -> {
        int end = 0;
        while (end < length && line[end] != ';' && line[end] != ' ') {
          end++;
        }
        left = number(0, end, HEX);
        part = left == 0 ? Part.TRAILERS : Part.CHUNK;
      }
      case CHUNK_END -> part = Part.CHUNK_SIZE;
      case TRAILERS -> {
        return length == 0;
      }
      case BODY, CHUNK -> throw new AssertionError(part);
    }
    return false;
  }

  private void header(int length) throws ProtocolException {
    if (startsWith(CONTENT_LENGTH, length)) {
      left = number(CONTENT_LENGTH.length, length, 10);
    } else if (startsWith(TRANSFER_ENCODING, length)) {
      chunked = true;
    } else if (startsWith(CONNECTION, length)) {
      closing = text(CONNECTION.length, length).equalsIgnoreCase("close");
    }
  }

  private boolean startsWith(byte[] name, int length) {
    if (length < name.length) {
      return false;
    }
    for (int i = 0; i < name.length; i++) {
      byte at = line[i];
      if ((at >= 'A' && at <= 'Z' ? at + ('a' - 'A') : at) != name[i]) {
        return false;
      }
    }
    return true;
  }

  /** Parses a number without creating a String, because every response has one. */
  private long number(int from, int to, int radix) throws ProtocolException {
    long value = 0;
    int digits = 0;
    for (int i = from; i < to; i++) {
      if (line[i] == ' ') {
        continue;
      }
      int digit = Character.digit(line[i], radix);
      if (digit < 0 || ++digits > 15) {
        throw new ProtocolException("no number in '%s'".formatted(text(0, to)));
      }
      value = value * radix + digit;
    }
    if (digits == 0) {
      throw new ProtocolException("no number in '%s'".formatted(text(0, to)));
    }
    return value;
  }

  private String text(int from, int to) {
    return new String(line, from, to - from, StandardCharsets.US_ASCII).strip();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
