package io.nereid.client.grpc;

import io.nereid.client.ClientTransport;
import io.nereid.client.TransportProvider;
import io.nereid.client.TransportSettings;
import java.net.URI;
import java.util.Set;

/** Finds the transport for {@code grpc} and {@code grpcs}. Loads nothing of gRPC before. */
public final class GrpcTransportProvider implements TransportProvider {
  /** For {@link java.util.ServiceLoader}. */
  public GrpcTransportProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("grpc", "grpcs");
  }

  @Override
  public ClientTransport open(URI address, TransportSettings settings) {
    try {
      return Channels.open(address, settings);
    } catch (LinkageError failure) {
      throw GrpcLibraries.wrong(failure);
    }
  }
}
