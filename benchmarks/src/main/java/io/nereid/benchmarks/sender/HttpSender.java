package io.nereid.benchmarks.sender;

import io.nereid.benchmarks.torture.wire.RawConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Sends a request over HTTP/1.1, on a connection for each or on one that is kept. */
public final class HttpSender implements Sender {
  private final InetAddress source;
  private final InetSocketAddress server;
  private final boolean kept;
  private final Duration timeout;
  private final byte[] request;
  private @Nullable RawConnection connection;

  /**
   * Connects with the first request.
   *
   * @param request head and body
   */
  public HttpSender(
      InetAddress source,
      InetSocketAddress server,
      boolean kept,
      Duration timeout,
      byte[] request) {
    this.source = source;
    this.server = server;
    this.kept = kept;
    this.timeout = timeout;
    this.request = request.clone();
  }

  @Override
  public void send() throws IOException {
    var open = connection == null ? RawConnection.openFrom(source, server) : connection;
    connection = open;
    boolean keep = false;
    try {
      open.send(request);
      var answer = open.receiveBeginning(timeout);
      if (!answer.isOk()) {
        throw new IOException("status " + answer.summary());
      }
      keep = kept && !"close".equalsIgnoreCase(answer.headers().get("connection"));
    } finally {
      if (!keep) {
        close();
      }
    }
  }

  @Override
  public void close() throws IOException {
    if (connection != null) {
      connection.close();
      connection = null;
    }
  }
}
