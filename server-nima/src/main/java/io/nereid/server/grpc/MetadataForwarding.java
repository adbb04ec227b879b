package io.nereid.server.grpc;

import io.grpc.Metadata;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.HeaderForwarding;
import java.util.Set;

/**
 * Makes metadata of calls parameters of their requests. The names of metadata are in lower case;
 * those that gRPC itself sends are left out. Immutable.
 */
final class MetadataForwarding {
  private static final Set<String> OWN = Set.of("content-type", "te");

  private final HeaderForwarding forwarding;

  MetadataForwarding(HeaderForwarding forwarding) {
    this.forwarding = forwarding;
  }

  /**
   * Adds parameters to a request.
   *
   * @throws InferenceException INVALID_ARGUMENT if a name is reserved
   */
  void forward(DecodedRequest request, Metadata metadata) {
    if (forwarding.isOff()) {
      return;
    }
    HeaderForwarding.Parameters parameters = forwarding.parameters();
    for (String name : metadata.keys()) {
      if (isForwarded(name)) {
        addLast(name, metadata, parameters);
      }
    }
    parameters.addTo(request);
  }

  private static boolean isForwarded(String name) {
    return !OWN.contains(name)
        && !name.startsWith("grpc-")
        && !name.endsWith(Metadata.BINARY_HEADER_SUFFIX);
  }

  private static void addLast(
      String name, Metadata metadata, HeaderForwarding.Parameters parameters) {
    String value = metadata.get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER));
    if (value != null) {
      parameters.add(name, value);
    }
  }
}
