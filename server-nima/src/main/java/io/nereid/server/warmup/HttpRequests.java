package io.nereid.server.warmup;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * A connection over which inference requests of HTTP are sent, those with JSON and those with
 * binary tensors in turn. Not a library's client: it would be warmed up too, and where client and
 * server extend the same class, the JVM compiles slower calls.
 */
final class HttpRequests implements AutoCloseable {
  /** Other headers have names that end with this one's. */
  private static final String CONTENT_LENGTH = "\ncontent-length:";

  private static final String HEAD_END = "\r\n\r\n";

  private final Socket socket;
  private final OutputStream output;
  private final InputStream input;
  private final List<byte[]> requests = List.of(json(), binary());
  private int sent;

  /**
   * @param timeout for a response
   */
  HttpRequests(int port, Duration timeout) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(Math.toIntExact(timeout.toMillis()));
    output = socket.getOutputStream();
    input = new BufferedInputStream(socket.getInputStream());
  }

  private static byte[] json() {
    String integers = "\"data\":" + numbers("7");
    String floats = "\"data\":" + numbers("0.123456");
    return request("Content-Type: application/json", inputs(integers, floats), 0);
  }

  private static byte[] binary() {
    int byteSize = WarmupModel.ELEMENTS * Integer.BYTES;
    String data = "\"parameters\":{\"binary_data_size\":%d}".formatted(byteSize);
    String json =
        "{\"parameters\":{\"binary_data_output\":true}," + inputs(data, data).substring(1);
    return request("Inference-Header-Content-Length: " + json.length(), json, 2 * byteSize);
  }

  private static String inputs(String integers, String floats) {
    return "{\"inputs\":[%s,%s]}"
        .formatted(
            tensor(WarmupModel.INTEGERS, "INT32", integers),
            tensor(WarmupModel.FLOATS, "FP32", floats));
  }

  private static String tensor(String name, String type, String data) {
    return "{\"name\":\"%s\",\"datatype\":\"%s\",\"shape\":[1,%d],%s}"
        .formatted(name, type, WarmupModel.ELEMENTS, data);
  }

  private static String numbers(String number) {
    return Collections.nCopies(WarmupModel.ELEMENTS, number).toString();
  }

  /** A request whose binary data are zeros. */
  private static byte[] request(String header, String json, int dataSize) {
    String text =
        "POST /v2/models/%s/infer HTTP/1.1\r\nHost: localhost\r\n%s\r\nContent-Length: %d%s%s"
            .formatted(WarmupModel.NAME, header, json.length() + dataSize, HEAD_END, json);
    return Arrays.copyOf(text.getBytes(US_ASCII), text.length() + dataSize);
  }

  /** Sends the next request. */
  void send() throws IOException {
    output.write(requests.get(sent++ % requests.size()));
  }

  /**
   * Reads a response.
   *
   * @throws IOException if it does not come, or is not a success
   */
  void receive() throws IOException {
    String head = readHead();
    int length = head.indexOf(CONTENT_LENGTH);
    if (!head.startsWith("http/1.1 200 ") || length < 0) {
      throw new IOException("expected status 200 and a length, got: " + head);
    }
    int begin = length + CONTENT_LENGTH.length();
    String bytes = head.substring(begin, head.indexOf('\r', begin)).strip();
    input.skipNBytes(Integer.parseInt(bytes));
  }

  /** The head of a response, in lower case. */
  private String readHead() throws IOException {
    var head = new StringBuilder();
    while (head.indexOf(HEAD_END, head.length() - HEAD_END.length()) < 0) {
      int next = input.read();
      if (next < 0) {
        throw new EOFException("the connection was closed behind: " + head);
      }
      head.append((char) next);
    }
    return head.toString().toLowerCase(Locale.ROOT);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
