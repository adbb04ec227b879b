package io.nereid.benchmarks.torture;

import java.io.IOException;

/** Sends one kind of good request. Used by one thread at a time. */
interface Sender extends AutoCloseable {
  /**
   * Sends a request and waits for its response.
   *
   * @throws IOException if it is not answered with success in time
   */
  void send() throws IOException;

  @Override
  void close() throws IOException;
}
