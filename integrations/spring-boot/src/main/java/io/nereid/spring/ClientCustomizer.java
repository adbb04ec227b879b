package io.nereid.spring;

import io.nereid.client.ClientBuilder;

/**
 * A bean that sets what {@link ClientProperties} do not have, such as TLS, before a client opens.
 */
@FunctionalInterface
public interface ClientCustomizer {
  /** Changes settings; of the same setting the last call counts. */
  void customize(ClientBuilder builder);
}
