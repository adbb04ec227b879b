package io.nereid.tools.load.transport;

import io.nereid.tools.load.arrival.ArrivalQueue;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/1.1 requests over keep-alive connections. To cost little CPU time beside a server on the
 * same machine, one thread with a selector serves all connections, requests are encoded once, and
 * no objects are allocated per request.
 */
public final class HttpLoad implements Load {
  private static final int SCRATCH_BYTES = 256 << 10;

  /** The interval at which the thread checks whether it should end. */
  private static final long CHECK_MILLIS = 20;

  private static final int OK = 200;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int GATEWAY_TIMEOUT = 504;

  private final InetSocketAddress server;
  private final @Nullable SSLContext tls;
  private final ByteBuffer[] requests;
  private final ArrivalQueue arrivals;
  private final Outcomes outcomes;
  private final Selector selector;
  private final ByteBuffer scratch = ByteBuffer.allocateDirect(SCRATCH_BYTES);
  private final List<HttpConnection> connections = new ArrayList<>();
  private final ArrayDeque<HttpConnection> idle = new ArrayDeque<>();
  private final Thread thread = Thread.ofPlatform().name("http-load").daemon().unstarted(this::run);
  private int next;
  private volatile long deadlineNanos = Long.MAX_VALUE;

  /** Whether the thread waits, and not only for responses: there is an idle connection. */
  private volatile boolean wantsRequests;

  private volatile @Nullable IOException failure;

  /**
   * Opens the connections.
   *
   * @param tls null for plain text
   * @param requests each head and body; sent in turn
   * @throws IOException if a connection fails
   */
  public HttpLoad(
      URI url,
      @Nullable SSLContext tls,
      List<byte[]> requests,
      int connectionCount,
      ArrivalQueue arrivals,
      Outcomes outcomes)
      throws IOException {
    server = new InetSocketAddress(url.getHost(), url.getPort());
    this.tls = tls;
    this.requests =
        requests.stream()
            .map(each -> ByteBuffer.allocateDirect(each.length).put(each).flip())
            .toArray(ByteBuffer[]::new);
    this.arrivals = arrivals;
    this.outcomes = outcomes;
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
    if (wantsRequests) {
      selector.wakeup();
    }
  }

  @Override
  public void awaitUntil(long nanoTime) throws InterruptedException {
    if (thread.join(Duration.ofNanos(nanoTime - System.nanoTime()))) {
      throw failed();
    }
  }

  private IllegalStateException failed() {
    String why = failure == null ? "its thread has ended" : failure.getMessage();
    return new IllegalStateException("the load failed: " + why, failure);
  }

  @Override
  public void finish(long deadlineNanos) throws InterruptedException, TimeoutException {
    this.deadlineNanos = deadlineNanos;
    long left = deadlineNanos - System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
    if (!thread.join(Duration.ofNanos(left))) {
      throw new TimeoutException("the HTTP load does not end");
    }
    if (failure != null) {
      throw failed();
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
      sendDueRequests();
      while (!ended()) {
        wantsRequests = !idle.isEmpty();
        sendDueRequests(); // what was added before that
        selector.select(this::ready, CHECK_MILLIS);
        wantsRequests = false;
        sendDueRequests();
      }
      for (int i = connections.size() - idle.size() + arrivals.waiting(); i > 0; i--) {
        outcomes.failed(
            deadlineNanos, "no response, or not sent, within 5 s after the measurement");
      }
    } catch (IOException e) {
      failure = e;
    } catch (UncheckedIOException e) {
      failure = e.getCause();
    } catch (ClosedSelectorException _) {
      // it was closed before its end, since the measurement was stopped
    }
  }

  private boolean ended() {
    // In this order, because nothing is added to the arrivals after their end.
    boolean complete =
        arrivals.ended() && idle.size() == connections.size() && arrivals.waiting() == 0;
    return complete || (deadlineNanos != Long.MAX_VALUE && System.nanoTime() - deadlineNanos > 0);
  }

  private void sendDueRequests() throws IOException {
    while (!idle.isEmpty()) {
      long due = arrivals.take(System.nanoTime());
      if (due == ArrivalQueue.NONE) {
        return;
      }
      var connection = idle.pop();
      try {
        connection.send(due, nextRequest());
      } catch (IOException e) {
        lost(connection, e);
      }
    }
  }

  private int nextRequest() {
    int index = next;
    next = (next + 1) % requests.length;
    return index;
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
    var response = connection.response();
    if (response.status() == OK) {
      outcomes.succeeded(connection.dueNanos(), now, response.bodyBytes(), response.wireBytes());
    } else if (response.status() == TOO_MANY_REQUESTS) {
      outcomes.refused(connection.dueNanos());
    } else if (response.status() == GATEWAY_TIMEOUT) {
      outcomes.late(connection.dueNanos());
    } else {
      String said = response.failure();
      outcomes.failed(
          connection.dueNanos(),
          "HTTP status %d%s".formatted(response.status(), said.isEmpty() ? "" : ": " + said));
    }
    if (response.closing()) {
      replace(connection);
      return;
    }
    long due = arrivals.take(now);
    if (due == ArrivalQueue.NONE) {
      idle.push(connection);
    } else {
      connection.send(due, nextRequest());
    }
  }

  private void lost(HttpConnection connection, IOException why) throws IOException {
    if (connection.busy()) {
      outcomes.failed(connection.dueNanos(), why.toString());
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
    var connection = new HttpConnection(server, tls, selector, requests);
    connections.add(connection);
    idle.push(connection);
  }
}
