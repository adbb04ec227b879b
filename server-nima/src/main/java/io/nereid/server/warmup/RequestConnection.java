package io.nereid.server.warmup;

import java.io.IOException;

/** A connection to the server on the loopback address, over which requests are sent. */
interface RequestConnection extends AutoCloseable {
  /** Sends the next request. */
  void send() throws IOException;

  /**
   * Reads the response to a request; responses may come in any order.
   *
   * @throws IOException if none comes in time, or it is not a success
   */
  void receive() throws IOException;

  /** How many requests may wait for responses at once. */
  int maxInFlight();

  @Override
  void close() throws IOException;
}
