package io.nereid.client.rest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A socket that reads HTTP requests and answers each with whatever a test says: any bytes, an end
 * of the connection, or nothing.
 */
final class LyingServer implements AutoCloseable {
  /** What becomes of the connection after the bytes. */
  enum Then {
    KEEP,
    CLOSE,
    /** Closed with unread data, or by a reset. */
    RESET,
    /** Nothing more is sent, and the connection stays. */
    HANG
  }

  /**
   * The answer to one request.
   *
   * @param cutAt of the request's bytes, after which the server stops to read; -1 for none
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Answer(byte[] bytes, Then then, int cutAt) {
    static Answer of(String head, String body, Then then) {
      return new Answer((head.replace("\n", "\r\n") + body).getBytes(ISO_8859_1), then, -1);
    }

    /** A whole response. */
    static Answer response(int status, String headers, String body) {
      return of(
          "HTTP/1.1 %d Status\nContent-Length: %d\n%s\n".formatted(status, body.length(), headers),
          body,
          Then.KEEP);
    }
  }

  private final ServerSocket socket;
  private final List<Answer> answers;
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final List<Socket> connections = new CopyOnWriteArrayList<>();
  private final AtomicInteger next = new AtomicInteger();
  private final AtomicInteger closed = new AtomicInteger();

  /** Answers requests in this order, whatever their connections; the last answer repeats. */
  LyingServer(Answer... answers) throws IOException {
    this.answers = List.of(answers);
    socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  String address() {
    return "http://127.0.0.1:" + socket.getLocalPort();
  }

  /** All requests that came whole, with their heads, one character a byte. */
  List<String> requests() {
    return requests;
  }

  int connections() {
    return connections.size();
  }

  /** Waits until the client has closed every connection. */
  void awaitClosed() {
    while (closed.get() < connections.size()) {
      Thread.onSpinWait();
    }
  }

  private void accept() {
    try {
      while (true) {
        Socket connection = socket.accept();
        connections.add(connection);
        Thread.ofVirtual().start(() -> serve(connection));
      }
    } catch (IOException closed) {
      // the test is over
    }
  }

  private void serve(Socket connection) {
    try (connection) {
      InputStream in = connection.getInputStream();
      while (true) {
        String head = head(in);
        if (head.isEmpty()) {
          return;
        }
        Answer answer = answers.get(Math.min(next.getAndIncrement(), answers.size() - 1));
        int length = contentLength(head);
        String body =
            new String(in.readNBytes(answer.cutAt < 0 ? length : answer.cutAt), ISO_8859_1);
        requests.add(head + body);
        connection.getOutputStream().write(answer.bytes);
        connection.getOutputStream().flush();
        switch (answer.then) {
          case KEEP -> {}
          case CLOSE -> {
            return;
          }
          case RESET -> {
            connection.setSoLinger(true, 0);
            return;
          }
          case HANG -> {
            in.transferTo(OutputStream.nullOutputStream());
            return;
          }
        }
      }
    } catch (IOException closed) {
      // by the client, or since the test is over
    } finally {
      closed.incrementAndGet();
    }
  }

  private static String head(InputStream in) throws IOException {
    var head = new ByteArrayOutputStream();
    while (!head.toString(ISO_8859_1).endsWith("\r\n\r\n")) {
      int next = in.read();
      if (next < 0) {
        return "";
      }
      head.write(next);
    }
    return head.toString(ISO_8859_1);
  }

  private static int contentLength(String head) {
    return head.lines()
        .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("content-length:"))
        .mapToInt(line -> Integer.parseInt(line.substring(15).strip()))
        .findFirst()
        .orElse(0);
  }

  @Override
  public void close() throws IOException {
    socket.close();
    for (Socket connection : connections) {
      connection.close();
    }
  }
}
