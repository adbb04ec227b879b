package io.nereid.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * A response as strict clients read it.
 *
 * @param headers by name in lower case; several of one name are joined by commas
 */
public record WireResponse(int status, Map<String, String> headers, String body) {
  /**
   * Reads one response.
   *
   * @param hasBody false for a response to HEAD
   * @throws EOFException if the stream ends early, even before the first byte
   */
  static WireResponse read(InputStream stream, boolean hasBody) throws IOException {
    String line = line(stream);
    if (!line.matches("HTTP/1\\.1 \\d{3} .*")) {
      throw new IOException("not a status line: " + line);
    }
    int status = Integer.parseInt(line.substring(9, 12));
    Map<String, String> headers = new TreeMap<>();
    for (String header = line(stream); !header.isEmpty(); header = line(stream)) {
      int colon = header.indexOf(':');
      if (colon < 1 || header.charAt(colon - 1) == ' ') {
        throw new IOException("not a header: " + header);
      }
      headers.merge(
          header.substring(0, colon).toLowerCase(Locale.ROOT),
          header.substring(colon + 1).strip(),
          (first, second) -> first + ", " + second);
    }
    String body = hasBody && status >= 200 && status != 204 ? body(stream, headers) : "";
    return new WireResponse(status, headers, body);
  }

  /** A header's value, or "" if it was not sent. */
  public String header(String name) {
    return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
  }

  private static String body(InputStream stream, Map<String, String> headers) throws IOException {
    if (headers.containsKey("content-length")) {
      int length = Integer.parseInt(headers.get("content-length"));
      byte[] body = stream.readNBytes(length);
      if (body.length < length) {
        throw new EOFException("a body of %d bytes ends after %d".formatted(length, body.length));
      }
      return new String(body, ISO_8859_1);
    }
    if (!headers.getOrDefault("transfer-encoding", "").equals("chunked")) {
      throw new IOException("a response without a length: " + headers);
    }
    var body = new StringBuilder();
    for (int size = chunk(stream); size > 0; size = chunk(stream)) {
      body.append(new String(stream.readNBytes(size), ISO_8859_1));
      if (!line(stream).isEmpty()) {
        throw new IOException("a chunk is longer than its size");
      }
    }
    if (!line(stream).isEmpty()) {
      throw new IOException("bytes behind the last chunk");
    }
    return body.toString();
  }

  private static int chunk(InputStream stream) throws IOException {
    return Integer.parseInt(line(stream), 16);
  }

  /** Reads up to CRLF, which is not returned. */
  private static String line(InputStream stream) throws IOException {
    var line = new ByteArrayOutputStream();
    for (int previous = 0, next = stream.read(); ; previous = next, next = stream.read()) {
      if (next < 0) {
        throw new EOFException("the connection ended after '" + line.toString(ISO_8859_1) + "'");
      }
      line.write(next);
      if (previous == '\r' && next == '\n') {
        return line.toString(ISO_8859_1).substring(0, line.size() - 2);
      }
    }
  }
}
