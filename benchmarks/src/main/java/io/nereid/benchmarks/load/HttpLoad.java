package io.nereid.benchmarks.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/1.1 load over keep-alive connections: one thread, one selector, the request's bytes made
 * once, no object per request. What it costs is nearly all the kernel's, as the server under test
 * shares the machine.
 */
final class HttpLoad implements Load {
  private static final int SCRATCH_BYTES = 256 << 10;

  /** How often the thread looks whether it should end. */
  private static final long LOOK_UP_MILLIS = 20;

  private static final int OK = 200;

  private final InetSocketAddress server;
  private final ByteBuffer request;
  private final Arrivals arrivals;
  private final Tally tally;
  private final Selector selector;
  private final ByteBuffer scratch = ByteBuffer.allocateDirect(SCRATCH_BYTES);
  private final List<HttpConnection> connections = new ArrayList<>();
  private final ArrayDeque<HttpConnection> idle = new ArrayDeque<>();
  private final Thread thread = Thread.ofPlatform().name("http-load").daemon().unstarted(this::run);
  private volatile long deadlineNanos = Long.MAX_VALUE;
  private volatile @Nullable IOException failure;

  /**
   * Connects.
   *
   * @param request head and body, see {@link HttpRequest}
   * @throws IOException if the server does not accept
   */
  HttpLoad(URI url, byte[] request, int connectionCount, Arrivals arrivals, Tally tally)
      throws IOException {
    server = new InetSocketAddress(url.getHost(), url.getPort());
    this.request = ByteBuffer.allocateDirect(request.length).put(request).flip();
    this.arrivals = arrivals;
    this.tally = tally;
    selector = Selector.open();
    try {
      for (int i = 0; i < connectionCount; i++) {
        connect();
      }
    } catch (IOException e) {
      close();
      throw new IOException("%s: %s".formatted(url, e.getMessage()), e);
    }
  }

  @Override
  public void start() {
    thread.start();
  }

  @Override
  public void wake() {
    selector.wakeup();
  }

  @Override
  public void finish(long deadlineNanos) throws InterruptedException, TimeoutException {
    this.deadlineNanos = deadlineNanos;
    long left = deadlineNanos - System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
    if (!thread.join(Duration.ofNanos(left))) {
      throw new TimeoutException("the HTTP load does not end");
    }
    if (failure != null) {
      throw new IllegalStateException("the load broke off: " + failure.getMessage(), failure);
    }
  }

  @Override
  public void close() {
    connections.forEach(HttpConnection::close);
    try {
      selector.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void run() {
    try {
      sendWhatIsDue();
      while (!ended()) {
        selector.select(this::ready, LOOK_UP_MILLIS);
        sendWhatIsDue();
      }
      for (int i = connections.size() - idle.size() + arrivals.waiting(); i > 0; i--) {
        tally.failed("no answer in time");
      }
    } catch (IOException e) {
      failure = e;
    } catch (UncheckedIOException e) {
      failure = e.getCause();
    }
  }

  private boolean ended() {
    // Asked in this order: nothing is added to the arrivals once they have ended.
    boolean allAnswered =
        arrivals.ended() && idle.size() == connections.size() && arrivals.waiting() == 0;
    return allAnswered
        || (deadlineNanos != Long.MAX_VALUE && System.nanoTime() - deadlineNanos > 0);
  }

  private void sendWhatIsDue() throws IOException {
    while (!idle.isEmpty()) {
      long due = arrivals.take(System.nanoTime());
      if (due == Arrivals.NONE) {
        return;
      }
      var connection = idle.pop();
      try {
        connection.send(due);
      } catch (IOException e) {
        lost(connection, e);
      }
    }
  }

  private void ready(SelectionKey key) {
    var connection = (HttpConnection) key.attachment();
    try {
      if (key.isWritable()) {
        connection.flush();
      }
      if (key.isReadable() && connection.receive(scratch)) {
        complete(connection);
      }
    } catch (IOException e) {
      try {
        lost(connection, e);
      } catch (IOException gone) {
        throw new UncheckedIOException(gone);
      }
    }
  }

  private void complete(HttpConnection connection) throws IOException {
    long now = System.nanoTime();
    var answer = connection.answer();
    if (answer.status() == OK) {
      tally.answered(connection.dueNanos(), now, answer.bodyBytes(), answer.wireBytes());
    } else {
      tally.failed("HTTP status %d".formatted(answer.status()));
    }
    if (answer.closing()) {
      replace(connection);
      return;
    }
    long due = arrivals.take(now);
    if (due == Arrivals.NONE) {
      idle.push(connection);
    } else {
      connection.send(due);
    }
  }

  private void lost(HttpConnection connection, IOException why) throws IOException {
    if (connection.busy()) {
      tally.failed(why.toString());
    }
    replace(connection);
  }

  private void replace(HttpConnection connection) throws IOException {
    connection.close();
    connections.remove(connection);
    idle.remove(connection);
    connect();
  }

  private void connect() throws IOException {
    var connection = new HttpConnection(server, selector, request);
    connections.add(connection);
    idle.push(connection);
  }
}
