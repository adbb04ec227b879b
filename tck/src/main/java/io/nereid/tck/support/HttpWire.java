package io.nereid.tck.support;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Socket;
import java.net.URI;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/1.1 connection over a socket: it sends what it is given, headers and bytes, right or
 * wrong. It stays open between requests, and is opened again where the server closed it.
 */
public final class HttpWire implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 20_000;

  private final URI address;
  private final WireLog log;
  private @Nullable Socket socket;
  private int connections;

  public HttpWire(URI address) {
    this(address, WireLog.none());
  }

  /** A connection whose messages are put into a log. */
  public HttpWire(URI address, WireLog log) {
    this.address = address;
    this.log = log;
  }

  /**
   * A response.
   *
   * @param headers by name in lower case
   */
  @SuppressWarnings("ArrayRecordComponent") // read once, never compared
  public record Response(int status, Map<String, String> headers, byte[] body) {
    /** A header's value, or "" if it was not sent. */
    public String header(String name) {
      return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
    }

    public String text() {
      return new String(body, UTF_8);
    }
  }

  /** How many connections were opened so far. */
  public int connections() {
    return connections;
  }

  /**
   * Sends a request and reads its response.
   *
   * @param headers besides Host and Content-Length, which are added
   */
  public Response send(String method, String target, byte[] body, Map<String, String> headers) {
    var head = new StringBuilder(method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n");
    headers.forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
    if (body.length > 0 || method.equals("POST")) {
      head.append("Content-Length: ").append(body.length).append("\r\n");
    }
    var bytes = new ByteArrayOutputStream();
    bytes.writeBytes(head.append("\r\n").toString().getBytes(ISO_8859_1));
    bytes.writeBytes(body);
    return exchange(bytes.toByteArray(), !method.equals("HEAD"));
  }

  /** Sends exactly these bytes and reads one response. */
  public Response exchange(byte[] request) {
    return exchange(request, true);
  }

  /** Reads one more response, to a request that was sent already. */
  public Response read() {
    try {
      return logged("", true);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /**
   * Takes apart a response that is kept as bytes; without a length its body is all that is left.
   */
  public static Response parse(byte[] response) {
    try (var in = new ByteArrayInputStream(response)) {
      Response head = response(in, false);
      return new Response(head.status(), head.headers(), in.readAllBytes());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private Response exchange(byte[] request, boolean hasBody) {
    try {
      WireMessage message = WireMessage.request(request);
      log.add(message);
      connected().getOutputStream().write(request);
      Response response = logged(message.call(), hasBody);
      if (response.header("Connection").equalsIgnoreCase("close")) {
        close();
      }
      return response;
    } catch (IOException failure) {
      close();
      throw new UncheckedIOException(
          "no response (%s) to %s".formatted(failure, new String(request, ISO_8859_1)), failure);
    }
  }

  private Response logged(String call, boolean hasBody) throws IOException {
    InputStream in = connected().getInputStream();
    if (!log.isKept()) {
      return response(in, hasBody);
    }
    var kept = new KeptInput(in);
    try {
      return response(kept, hasBody);
    } finally {
      log.add(kept.response(call));
    }
  }

  private Socket connected() throws IOException {
    Socket open = socket;
    if (open == null) {
      open = new Socket();
      open.setTcpNoDelay(true);
      open.setSoTimeout(TIMEOUT_MILLIS);
      open.connect(new InetSocketAddress(address.getHost(), address.getPort()), TIMEOUT_MILLIS);
      socket = open;
      connections++;
    }
    return open;
  }

  private static Response response(InputStream in, boolean hasBody) throws IOException {
    String statusLine = line(in);
    if (!statusLine.matches("HTTP/1\\.[01] \\d{3}( .*)?")) {
      throw new ProtocolException(
          "a status line was expected, and '%s' came".formatted(statusLine));
    }
    int status = Integer.parseInt(statusLine.split(" ", 3)[1]);
    Map<String, String> headers = new TreeMap<>();
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      int colon = line.indexOf(':');
      if (colon < 0) {
        throw new ProtocolException("a header was expected, and '%s' came".formatted(line));
      }
      headers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
    }
    if (status == 100) {
      return response(in, hasBody);
    }
    return new Response(status, Map.copyOf(headers), hasBody ? body(in, headers) : new byte[0]);
  }

  private static byte[] body(InputStream in, Map<String, String> headers) throws IOException {
    if (!headers.getOrDefault("transfer-encoding", "").equals("chunked")) {
      return exactly(in, Integer.parseInt(headers.getOrDefault("content-length", "0")));
    }
    var body = new ByteArrayOutputStream();
    for (int size = chunkSize(in); size > 0; size = chunkSize(in)) {
      body.writeBytes(exactly(in, size));
      line(in);
    }
    line(in);
    return body.toByteArray();
  }

  private static int chunkSize(InputStream in) throws IOException {
    return Integer.parseInt(line(in).split(";", 2)[0].strip(), 16);
  }

  private static byte[] exactly(InputStream in, int byteSize) throws IOException {
    byte[] bytes = in.readNBytes(byteSize);
    if (bytes.length < byteSize) {
      throw new EOFException("%d of %d bytes of a body".formatted(bytes.length, byteSize));
    }
    return bytes;
  }

  private static String line(InputStream in) throws IOException {
    var line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("the server closed the connection");
      }
      line.write(next);
    }
    return line.toString(ISO_8859_1).stripTrailing();
  }

  @Override
  public void close() {
    Socket open = socket;
    socket = null;
    if (open != null) {
      try {
        open.close();
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }
  }
}
