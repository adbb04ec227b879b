package io.nereid.benchmarks.sender;

import java.io.IOException;

/** Sends one request again and again. Used by one thread at a time. */
public interface Sender extends AutoCloseable {
  /**
   * Sends the request and waits for its response.
   *
   * @throws IOException if it is not answered with success in time
   */
  void send() throws IOException;

  @Override
  void close() throws IOException;
}
