package io.nereid.client;

import java.net.URI;

/** Opens a transport to an address. */
@FunctionalInterface
public interface TransportFactory {
  /** Connects when the first call needs it. */
  ClientTransport open(URI address, TransportSettings settings);
}
