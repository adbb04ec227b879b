package io.nereid.client;

import java.util.Set;

/** A factory that is found by {@link java.util.ServiceLoader}, for addresses of its schemes. */
public interface TransportProvider extends TransportFactory {
  /** Such as {@code http} and {@code https}; in lower case. */
  Set<String> schemes();
}
