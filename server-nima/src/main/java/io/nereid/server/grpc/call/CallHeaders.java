package io.nereid.server.grpc.call;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.nereid.engine.memory.ClientKey;
import io.nereid.server.frontend.ClientRequests;
import io.nereid.server.grpc.connection.CallConnection;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * Who sends a call, and its metadata. Those that gRPC itself sends, and binary ones, do not become
 * parameters of requests.
 */
public record CallHeaders(ServerCall<?, ?> call, Metadata metadata)
    implements ClientRequests.Sender {
  private static final Set<String> OWN = Set.of("content-type", "te");

  @Override
  public ClientKey client() {
    return CallConnection.client(call);
  }

  @Override
  public Optional<String> header(String name) {
    return GrpcRequests.textMetadata(metadata, name);
  }

  @Override
  public void forEachHeader(BiConsumer<String, String> headerReader) {
    for (String name : metadata.keys()) {
      if (!OWN.contains(name)
          && !name.startsWith("grpc-")
          && !name.endsWith(Metadata.BINARY_HEADER_SUFFIX)) {
        header(name).ifPresent(value -> headerReader.accept(name, value));
      }
    }
  }
}
