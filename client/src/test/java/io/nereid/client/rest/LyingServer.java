package io.nereid.client.rest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

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

  /** The answer to one request. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Answer(byte[] bytes, Then then) {
    static Answer of(String head, String body, Then then) {
      return new Answer((head.replace("\n", "\r\n") + body).getBytes(ISO_8859_1), then);
    }

    /** A whole response. */
    static Answer response(int status, String headers, String body) {
      return of(
          "HTTP/1.1 %d Status\nContent-Length: %d\n%s\n".formatted(status, body.length(), headers),
          body,
          Then.KEEP);
    }
  }

  private static final int MAX_REQUESTS = 1000;
  private static final int END_OF_HEAD = 0x0d0a0d0a;

  private final ServerSocket socket;
  private final Function<String, Answer> answers;
  private final int maxBody;
  private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger connections = new AtomicInteger();

  private LyingServer(Function<String, Answer> answers, int maxBody) throws IOException {
    this.answers = answers;
    this.maxBody = maxBody;
    socket = new ServerSocket(0, 1000, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  /** Answers requests in this order, whatever their connections; the last answer repeats. */
  LyingServer(Answer... answers) throws IOException {
    this(Integer.MAX_VALUE, answers);
  }

  /** As the other, but reads so many bytes of a request's body at most. */
  LyingServer(int maxBody, Answer... answers) throws IOException {
    this(inOrder(answers), maxBody);
  }

  /** Answers each request, head and body, as a function says. */
  LyingServer(Function<String, Answer> answers) throws IOException {
    this(answers, Integer.MAX_VALUE);
  }

  private static Function<String, Answer> inOrder(Answer... answers) {
    AtomicInteger next = new AtomicInteger();
    return request -> answers[Math.min(next.getAndIncrement(), answers.length - 1)];
  }

  String address() {
    return "http://127.0.0.1:" + socket.getLocalPort();
  }

  /** The first requests that came whole, with their heads, one character a byte. */
  List<String> requests() {
    return requests;
  }

  /** How many connections there were. */
  int connections() {
    return connections.get();
  }

  /** Waits until the client has closed every connection. */
  void awaitClosed() {
    while (!open.isEmpty()) {
      Thread.onSpinWait();
    }
  }

  private void accept() {
    try {
      while (true) {
        Socket connection = socket.accept();
        connections.incrementAndGet();
        open.add(connection);
        Thread.ofVirtual().start(() -> serve(connection));
      }
    } catch (IOException closed) {
      // the test is over
    }
  }

  private void serve(Socket connection) {
    try (connection) {
      InputStream in = new BufferedInputStream(connection.getInputStream());
      while (true) {
        String head = head(in);
        if (head.isEmpty()) {
          return;
        }
        String body = new String(in.readNBytes(Math.min(maxBody, contentLength(head))), ISO_8859_1);
        if (requests.size() < MAX_REQUESTS) {
          requests.add(head + body);
        }
        Answer answer = answers.apply(head + body);
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
      open.remove(connection);
    }
  }

  private static String head(InputStream in) throws IOException {
    var head = new ByteArrayOutputStream();
    int last4 = 0;
    while (last4 != END_OF_HEAD) {
      int next = in.read();
      if (next < 0) {
        return "";
      }
      head.write(next);
      last4 = (last4 << 8) | next;
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
    for (Socket connection : open) {
      connection.close();
    }
  }
}
