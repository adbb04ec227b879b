package io.nereid.benchmarks.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.HdrHistogram.Histogram;

/**
 * A client that asks for one stream and notes when each event comes. One thread runs it; another
 * may have it leave, and reads its results after the first has ended.
 */
final class StreamClient implements Runnable {
  private static final int SIGNIFICANT_DIGITS = 3;
  private static final String EVENT = "data: ";

  private final InetSocketAddress server;
  private final int wanted;
  private final Socket socket = new Socket();
  private final Histogram betweenNanos = new Histogram(SIGNIFICANT_DIGITS);
  private long firstNanos;
  private long events;
  private String failure = "";
  private volatile boolean left;

  /**
   * @param wanted the number of tokens
   */
  StreamClient(InetSocketAddress server, int wanted) {
    this.server = server;
    this.wanted = wanted;
  }

  @Override
  public void run() {
    try (socket) {
      socket.setTcpNoDelay(true);
      socket.connect(server);
      read();
      if (events != wanted) {
        failure = "%d events of %d".formatted(events, wanted);
      }
    } catch (IOException broken) {
      if (!left) {
        failure = broken.toString();
      }
    }
  }

  private void read() throws IOException {
    String body = "{\"TEXT\":\"Once upon a time\",\"tokens\":%d}".formatted(wanted);
    String request =
        "POST /v2/models/%s/generate_stream HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                .formatted(TokenBackend.MODEL)
            + "Content-Length: %d\r\n\r\n%s".formatted(body.length(), body);
    long before = System.nanoTime();
    socket.getOutputStream().write(request.getBytes(UTF_8));
    var lines = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
    String status = lines.readLine();
    if (status == null || !status.contains(" 200 ")) {
      throw new IOException("the server responds " + status);
    }
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.startsWith(EVENT)) {
        if (line.contains("\"error\"")) {
          throw new IOException(line);
        }
        long now = System.nanoTime();
        if (events == 0) {
          firstNanos = now - before;
        } else {
          betweenNanos.recordValue(now - before);
        }
        before = now;
        events++;
      }
    }
  }

  /** Closes the connection. */
  void leave() throws IOException {
    left = true;
    socket.close();
  }

  boolean hasLeft() {
    return left;
  }

  long events() {
    return events;
  }

  long firstNanos() {
    return firstNanos;
  }

  Histogram betweenNanos() {
    return betweenNanos;
  }

  /** Why it has not got all tokens; empty if it has, or has left. */
  String failure() {
    return failure;
  }
}
