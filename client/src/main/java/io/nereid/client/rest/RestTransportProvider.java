package io.nereid.client.rest;

import io.nereid.client.ClientTransport;
import io.nereid.client.TransportProvider;
import io.nereid.client.TransportSettings;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.Set;

/** Finds the transport for {@code http} and {@code https}. */
public final class RestTransportProvider implements TransportProvider {
  /** For {@link java.util.ServiceLoader}. */
  public RestTransportProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("http", "https");
  }

  @Override
  public ClientTransport open(URI address, TransportSettings settings) {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(settings.connectTimeout());
    if (settings.tls() != null) {
      builder.sslContext(settings.tls().context());
    }
    return RestTransport.over(builder.build(), true).open(address, settings);
  }
}
