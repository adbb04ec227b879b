package io.nereid.client.grpc;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelProvider.ProviderNotFoundException;
import io.grpc.TlsChannelCredentials;
import io.nereid.client.ClientTransport;
import io.nereid.client.Tls;
import io.nereid.client.TransportSettings;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Opens channels of the client's own. */
final class Channels {
  private static final int DEFAULT_PORT = 8001;

  private Channels() {}

  static ClientTransport open(URI address, TransportSettings settings) {
    if (address.getHost() == null) {
      throw new IllegalArgumentException(
          "'%s' is not the address of a server, such as grpc://localhost:8001".formatted(address));
    }
    boolean secure = address.getScheme().toLowerCase(Locale.ROOT).equals("grpcs");
    int port = address.getPort() < 0 ? DEFAULT_PORT : address.getPort();
    try {
      List<ManagedChannel> channels = new ArrayList<>();
      for (int i = 0; i < Math.max(1, settings.connections()); i++) {
        channels.add(
            Grpc.newChannelBuilderForAddress(
                    address.getHost(),
                    port,
                    secure ? credentials(settings) : InsecureChannelCredentials.create())
                .build());
      }
      return new ChannelTransport(
          channels.size() == 1 ? channels.get(0) : new ChannelPool(channels),
          () -> channels.forEach(ManagedChannel::resetConnectBackoff),
          () -> channels.forEach(ManagedChannel::shutdownNow),
          address.toString(),
          settings);
    } catch (ProviderNotFoundException e) {
      throw new IllegalStateException(
          "gRPC needs one of io.grpc:grpc-netty, grpc-netty-shaded and grpc-okhttp on the class"
              + " path",
          e);
    }
  }

  private static ChannelCredentials credentials(TransportSettings settings) {
    TlsChannelCredentials.Builder builder = TlsChannelCredentials.newBuilder();
    Tls tls = settings.tls();
    if (tls != null) {
      if (tls.keyManagers() != null) {
        builder.keyManager(tls.keyManagers());
      }
      if (tls.trustManagers() != null) {
        builder.trustManager(tls.trustManagers());
      }
    }
    return builder.build();
  }
}
