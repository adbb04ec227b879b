package io.nereid.server.http.connection;

import io.nereid.server.http.limits.ConnectionLimits;
import io.nereid.server.http.message.HeadLimits;

/**
 * Settings of a listener.
 *
 * @param name in messages, such as {@code HTTP}
 * @param address to listen on
 * @param port 0 for any free port
 * @param reusesPort whether other servers may listen on the same port
 */
public record ListenerSettings(
    String name,
    String address,
    int port,
    boolean reusesPort,
    HeadLimits headLimits,
    ConnectionLimits limits) {
  public ListenerSettings(String name, String address, int port) {
    this(name, address, port, false, HeadLimits.DEFAULT, ConnectionLimits.DEFAULT);
  }
}
