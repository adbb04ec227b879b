package io.nereid.tck;

import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.WireLog;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Optional;

/**
 * A running server, known by its addresses only.
 *
 * @param http such as {@code http://127.0.0.1:8000}
 * @param grpcHost such as {@code 127.0.0.1}
 * @param grpcPort where it speaks gRPC in plain text; 0 if it does not, and the tests of gRPC are
 *     skipped
 * @param metrics such as {@code http://127.0.0.1:8002}; empty if it serves none, and the tests of
 *     metrics are skipped
 * @param stop stops the server and waits until it is gone
 * @param isFresh whether only the tests have asked it; tests that count from 0 are skipped
 *     otherwise
 * @param log what tests send to it and receive
 */
public record ServerUnderTest(
    URI http,
    String grpcHost,
    int grpcPort,
    Optional<URI> metrics,
    Runnable stop,
    boolean isFresh,
    WireLog log)
    implements AutoCloseable {
  /** A server that was started for the tests, and whose messages are not kept. */
  public ServerUnderTest(
      URI http, String grpcHost, int grpcPort, Optional<URI> metrics, Runnable stop) {
    this(http, grpcHost, grpcPort, metrics, stop, true, WireLog.none());
  }

  /** A server without metrics. */
  public ServerUnderTest(URI http, String grpcHost, int grpcPort, Runnable stop) {
    this(http, grpcHost, grpcPort, Optional.empty(), stop);
  }

  /** The same server, whose messages are put into that log. */
  public ServerUnderTest withLog(WireLog newLog) {
    return new ServerUnderTest(http, grpcHost, grpcPort, metrics, stop, isFresh, newLog);
  }

  /** The same server for tests that share it: they do not stop it, and do not count from 0. */
  public ServerUnderTest shared() {
    return new ServerUnderTest(http, grpcHost, grpcPort, metrics, () -> {}, false, log);
  }

  /** Whether the server can share memory with the tests. */
  public boolean isOnThisMachine() {
    return new InetSocketAddress(http.getHost(), http.getPort()).getAddress().isLoopbackAddress();
  }

  /** A new connection over HTTP. */
  public HttpWire connect() {
    return new HttpWire(http, log);
  }

  @Override
  public void close() {
    stop.run();
  }
}
