package io.nereid.benchmarks.torture;

import io.nereid.benchmarks.torture.wire.RawConnection;
import io.nereid.benchmarks.torture.wire.Requests;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Sends inference requests over HTTP/1.1, on a connection for each or on one that is kept. */
final class HttpSender implements Sender {
  private final InetAddress source;
  private final InetSocketAddress server;
  private final boolean kept;
  private final Duration timeout;
  private final byte[] request;
  private @Nullable RawConnection connection;

  HttpSender(InetAddress source, InetSocketAddress server, boolean kept, Duration timeout) {
    this.source = source;
    this.server = server;
    this.kept = kept;
    this.timeout = timeout;
    request = Requests.simple("simple");
  }

  @Override
  public void send() throws IOException {
    var open = connection == null ? RawConnection.openFrom(source, server) : connection;
    connection = open;
    boolean keep = false;
    try {
      open.send(request);
      var answer = open.receive(timeout);
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
