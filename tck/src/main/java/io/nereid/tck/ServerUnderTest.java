package io.nereid.tck;

import java.net.URI;
import java.util.Optional;

/**
 * A running server, known by its addresses only.
 *
 * @param http such as {@code http://127.0.0.1:8000}
 * @param grpcHost such as {@code 127.0.0.1}
 * @param grpcPort where it speaks gRPC in plain text
 * @param metrics such as {@code http://127.0.0.1:8002}; empty if it serves none, and the tests of
 *     metrics are skipped
 * @param stop stops the server and waits until it is gone
 */
public record ServerUnderTest(
    URI http, String grpcHost, int grpcPort, Optional<URI> metrics, Runnable stop)
    implements AutoCloseable {
  /** A server without metrics. */
  public ServerUnderTest(URI http, String grpcHost, int grpcPort, Runnable stop) {
    this(http, grpcHost, grpcPort, Optional.empty(), stop);
  }

  @Override
  public void close() {
    stop.run();
  }
}
