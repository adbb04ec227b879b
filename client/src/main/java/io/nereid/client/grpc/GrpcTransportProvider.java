package io.nereid.client.grpc;

import com.google.protobuf.MessageLite;
import io.nereid.client.ClientTransport;
import io.nereid.client.TransportProvider;
import io.nereid.client.TransportSettings;
import java.net.URI;
import java.security.CodeSource;
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
    } catch (NoClassDefFoundError missing) {
      String name = String.valueOf(missing.getMessage());
      throw new IllegalStateException(
          name.contains("com/google/protobuf/RuntimeVersion")
              ? "gRPC needs com.google.protobuf:protobuf-java 4 on the class path, which has "
                  + protobuf()
              : "gRPC needs io.nereid:nereid-protocol, io.grpc:grpc-protobuf, io.grpc:grpc-stub and one of"
                  + " io.grpc:grpc-netty, grpc-netty-shaded and grpc-okhttp on the class path",
          missing);
    }
  }

  /** The file of an older version, whose name has it. */
  private static String protobuf() {
    CodeSource source = MessageLite.class.getProtectionDomain().getCodeSource();
    return source == null ? "an older one" : source.getLocation().toString();
  }
}
