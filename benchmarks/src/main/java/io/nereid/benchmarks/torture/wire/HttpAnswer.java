package io.nereid.benchmarks.torture.wire;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A response of HTTP/1.
 *
 * @param headers by their names in lower case
 */
public record HttpAnswer(int status, Map<String, String> headers, String body) {
  private static final int MAX_LINE_BYTES = 1 << 16;
  private static final int NO_CONTENT = 204;
  private static final int CONTINUE = 100;

  public HttpAnswer {
    headers = Map.copyOf(headers);
  }

  /** Status and the beginning of the body, for a table. */
  public String summary() {
    String text = body.replaceAll("\\s+", " ").strip();
    return status + (text.isEmpty() ? "" : " " + text.substring(0, Math.min(text.length(), 80)));
  }

  static HttpAnswer read(InputStream in) throws IOException {
    HttpAnswer head = head(in);
    return new HttpAnswer(head.status, head.headers, body(in, head));
  }

  /** Reads a response of known length without keeping its body, and returns its status. */
  static int skip(InputStream in) throws IOException {
    HttpAnswer head = head(in);
    in.skipNBytes(Long.parseLong(head.headers.getOrDefault("content-length", "0")));
    return head.status;
  }

  /** Reads a response up to its body. */
  private static HttpAnswer head(InputStream in) throws IOException {
    String statusLine = line(in);
    String[] parts = statusLine.split(" ", 3);
    if (parts.length < 2 || !parts[0].startsWith("HTTP/1.") || !parts[1].matches("\\d{3}")) {
      throw new ProtocolException("not a status line: '%s'".formatted(statusLine));
    }
    int status = Integer.parseInt(parts[1]);
    Map<String, String> headers = new HashMap<>();
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      int colon = line.indexOf(':');
      if (colon < 0) {
        throw new ProtocolException("not a header: '%s'".formatted(line));
      }
      headers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
    }
    if (status == CONTINUE) {
      return head(in);
    }
    return new HttpAnswer(status, headers, "");
  }

  private static String body(InputStream in, HttpAnswer head) throws IOException {
    Map<String, String> headers = head.headers;
    byte[] body;
    if ("chunked".equalsIgnoreCase(headers.get("transfer-encoding"))) {
      body = chunks(in);
    } else if (headers.containsKey("content-length")) {
      body = exactly(in, Integer.parseInt(headers.getOrDefault("content-length", "")));
    } else {
      body = head.status == NO_CONTENT ? new byte[0] : in.readAllBytes();
    }
    return new String(body, StandardCharsets.UTF_8);
  }

  private static byte[] chunks(InputStream in) throws IOException {
    var body = new ByteArrayOutputStream();
    while (true) {
      int length = Integer.parseInt(line(in).replaceAll(";.*", "").strip(), 16);
      body.writeBytes(exactly(in, length));
      if (length == 0) {
        while (!line(in).isEmpty()) {
          // a trailer
        }
        return body.toByteArray();
      }
      var _ = line(in);
    }
  }

  private static byte[] exactly(InputStream in, int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException("the body ends after %d of %d bytes".formatted(bytes.length, length));
    }
    return bytes;
  }

  private static String line(InputStream in) throws IOException {
    var line = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("the server closed the connection");
      }
      if (line.length() == MAX_LINE_BYTES) {
        throw new ProtocolException("a line of more than %d bytes".formatted(MAX_LINE_BYTES));
      }
      line.append((char) next);
    }
    int length = line.length();
    return length > 0 && line.charAt(length - 1) == '\r'
        ? line.substring(0, length - 1)
        : line.toString();
  }
}
