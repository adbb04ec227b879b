package io.nereid.benchmarks.torture.wire;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A response of HTTP/1.
 *
 * @param headers by their names in lower case
 * @param body the body, or the beginning of it that was kept
 * @param byteSize of the whole body
 */
public record HttpAnswer(int status, Map<String, String> headers, String body, long byteSize) {
  private static final int MAX_LINE_BYTES = 1 << 16;
  private static final int NO_CONTENT = 204;
  private static final int CONTINUE = 100;

  public HttpAnswer {
    headers = Map.copyOf(headers);
  }

  public boolean isOk() {
    return status == 200;
  }

  /** Status and the beginning of the body, for a table. */
  public String summary() {
    String text = body.replaceAll("\\s+", " ").strip();
    return status + (text.isEmpty() ? "" : " " + text.substring(0, Math.min(text.length(), 80)));
  }

  /** Reads a response, and keeps {@code most} bytes of its body. */
  static HttpAnswer read(InputStream in, int most) throws IOException {
    HttpAnswer head = head(in);
    var body = new Body(most);
    read(in, head, body);
    return new HttpAnswer(head.status, head.headers, body.text(), body.byteSize);
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
    return new HttpAnswer(status, headers, "", 0);
  }

  private static void read(InputStream in, HttpAnswer head, Body body) throws IOException {
    Map<String, String> headers = head.headers;
    if ("chunked".equalsIgnoreCase(headers.get("transfer-encoding"))) {
      readChunks(in, body);
    } else if (headers.containsKey("content-length")) {
      body.read(in, Long.parseLong(headers.getOrDefault("content-length", "")));
    } else if (head.status != NO_CONTENT) {
      body.readToTheEnd(in);
    }
  }

  private static void readChunks(InputStream in, Body body) throws IOException {
    while (true) {
      int length = Integer.parseInt(line(in).replaceAll(";.*", "").strip(), 16);
      body.read(in, length);
      if (length == 0) {
        while (!line(in).isEmpty()) {
          // a trailer
        }
        return;
      }
      var _ = line(in);
    }
  }

  /** A body of which the beginning is kept. */
  private static final class Body {
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private final int most;
    private long byteSize;

    Body(int most) {
      this.most = most;
    }

    void read(InputStream in, long length) throws IOException {
      int keep = (int) Math.min(length, most - kept.size());
      byte[] bytes = in.readNBytes(keep);
      kept.writeBytes(bytes);
      byteSize += bytes.length;
      if (bytes.length < keep) {
        throw new EOFException(
            "the body ends after %d of %d bytes".formatted(bytes.length, length));
      }
      in.skipNBytes(length - keep);
      byteSize += length - keep;
    }

    void readToTheEnd(InputStream in) throws IOException {
      byte[] bytes = in.readNBytes(most - kept.size());
      kept.writeBytes(bytes);
      byteSize += bytes.length + in.transferTo(OutputStream.nullOutputStream());
    }

    String text() {
      return kept.toString(StandardCharsets.UTF_8);
    }
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
