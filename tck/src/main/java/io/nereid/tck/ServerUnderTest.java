package io.nereid.tck;

import java.net.URI;

/**
 * A running server, known by its addresses only.
 *
 * @param http such as {@code http://127.0.0.1:8000}
 * @param grpcHost such as {@code 127.0.0.1}
 * @param grpcPort where it speaks gRPC in plain text
 * @param stop stops the server and waits until it is gone
 */
public record ServerUnderTest(URI http, String grpcHost, int grpcPort, Runnable stop)
    implements AutoCloseable {
  @Override
  public void close() {
    stop.run();
  }
}
