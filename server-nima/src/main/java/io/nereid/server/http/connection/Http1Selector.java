package io.nereid.server.http.connection;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.spi.ServerConnection;
import io.helidon.webserver.spi.ServerConnectionSelector;
import io.nereid.server.frontend.Endpoints;
import io.nereid.server.http.connection.AcceptedChannels.Accepted;
import io.nereid.server.http.limits.Activity;
import io.nereid.server.http.message.HeadLimits;
import io.nereid.server.http.message.Transport;
import io.nereid.server.security.ServerTls;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.Set;

/** Makes our connection of each that Helidon accepts. */
record Http1Selector(
    HttpHandler handler,
    HeadLimits limits,
    OpenConnections open,
    AcceptedChannels accepted,
    Optional<ServerTls> tls)
    implements ServerConnectionSelector {
  /** The protocols that a client may choose of, by ALPN. */
  private static final String[] PROTOCOLS = {"http/1.1", "http/1.0"};

  /** None: there is no other protocol. */
  @Override
  public int bytesToIdentifyConnection() {
    return 0;
  }

  @Override
  public Support supports(BufferData data) {
    return Support.SUPPORTED;
  }

  @Override
  public Set<String> supportedApplicationProtocols() {
    return Set.of("http/1.1");
  }

  @Override
  public ServerConnection connection(ConnectionContext context) {
    HelidonSocket socket = context.serverSocket();
    Accepted channel =
        accepted
            .remove(new Endpoints(socket.remotePeer().address(), socket.localPeer().address()))
            .orElseThrow(() -> new CloseConnectionException("the connection has ended"));
    var activity = new Activity();
    return new Http1Connection(
        transport(channel, activity), activity, channel.admission(), limits, handler, open);
  }

  private Transport transport(Accepted accepted, Activity activity) {
    SocketChannel channel = accepted.channel();
    if (tls.isEmpty()) {
      return new PlainTransport(channel, activity);
    }
    try {
      return new TlsTransport(tls.get().socket(channel.socket(), PROTOCOLS), channel, activity);
    } catch (IOException closed) {
      accepted.admission().close();
      throw new CloseConnectionException("the connection has ended", closed);
    }
  }
}
