package io.nereid.server.http.connection;

import io.nereid.server.frontend.Listener;
import io.nereid.server.http.limits.ConnectionLimits;
import io.nereid.server.http.message.HeadLimits;

/**
 * Settings of a listener.
 *
 * @param name in messages, such as {@code HTTP}
 * @param listener the address to listen at
 */
public record ListenerSettings(
    String name, Listener listener, HeadLimits headLimits, ConnectionLimits limits) {
  public ListenerSettings(String name, String address, int port) {
    this(
        name,
        new Listener("http", address, port, /* reusesPort= */ false),
        HeadLimits.DEFAULT,
        ConnectionLimits.DEFAULT);
  }
}
