package io.nereid.benchmarks.load;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/** An HTTP server with keep-alive that responds to the n-th request, from 1, with a given text. */
final class FakeHttpServer implements AutoCloseable {
  /** A response that closes the connection without a byte. */
  static final String HANG_UP = "";

  private final IntFunction<String> responses;
  private final ServerSocket listener = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final AtomicInteger requests = new AtomicInteger();
  private final CountDownLatch first = new CountDownLatch(1);

  FakeHttpServer(IntFunction<String> responses) throws IOException {
    this.responses = responses;
    Thread.ofVirtual().start(this::accept);
  }

  static String ok(int bodyBytes) {
    return "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s"
        .formatted(bodyBytes, "x".repeat(bodyBytes));
  }

  URI url() {
    return URI.create("http://127.0.0.1:" + listener.getLocalPort());
  }

  /** Waits for the first request. */
  void awaitRequest() throws InterruptedException {
    first.await();
  }

  int requests() {
    return requests.get();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (var socket : sockets) {
      socket.close();
    }
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        var socket = listener.accept();
        socket.setTcpNoDelay(true);
        sockets.add(socket);
        Thread.ofVirtual().start(() -> serve(socket));
      } catch (IOException e) {
        if (!listener.isClosed()) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      var in = new BufferedInputStream(socket.getInputStream());
      while (readRequest(in)) {
        var response = responses.apply(requests.incrementAndGet());
        first.countDown();
        if (response.equals(HANG_UP)) {
          return;
        }
        socket.getOutputStream().write(response.getBytes(StandardCharsets.US_ASCII));
      }
    } catch (IOException e) {
      if (!listener.isClosed()) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static boolean readRequest(InputStream in) throws IOException {
    int length = 0;
    for (var line = line(in); !line.isEmpty(); line = line(in)) {
      if (line.equals("EOF")) {
        return false;
      }
      var header = line.toLowerCase(Locale.ROOT);
      if (header.startsWith("content-length:")) {
        length = Integer.parseInt(header.substring(header.indexOf(':') + 1).strip());
      }
    }
    return in.readNBytes(length).length == length;
  }

  private static String line(InputStream in) throws IOException {
    var line = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        return "EOF";
      }
      if (next != '\r') {
        line.append((char) next);
      }
    }
    return line.toString();
  }
}
