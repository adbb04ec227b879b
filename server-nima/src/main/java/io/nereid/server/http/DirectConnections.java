package io.nereid.server.http;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import io.helidon.common.buffers.DataWriter;
import io.helidon.common.concurrency.limits.Limit;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.common.socket.PeerInfo;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.ListenerContext;
import io.helidon.webserver.ProxyProtocolData;
import io.helidon.webserver.Router;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http1.Http1ConnectionSelector;
import io.helidon.webserver.spi.ServerConnection;
import io.helidon.webserver.spi.ServerConnectionSelector;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;

/**
 * A selector of Helidon's HTTP/1.1 connections that makes each read from a {@link DirectSocket},
 * binds {@link DirectSocket#CURRENT} while it runs, and registers it with the monitor.
 */
final class DirectConnections implements ServerConnectionSelector {
  private final Http1ConnectionSelector http1 =
      Http1ConnectionSelector.builder().config(Http1Config.create()).build();
  private final DisconnectMonitor monitor;
  private volatile boolean refusing;

  DirectConnections(DisconnectMonitor monitor) {
    this.monitor = monitor;
  }

  /** Closes connections that are made from now on, without reading. */
  void refuse() {
    refusing = true;
  }

  @Override
  public int bytesToIdentifyConnection() {
    return http1.bytesToIdentifyConnection();
  }

  @Override
  public Support supports(BufferData data) {
    return http1.supports(data);
  }

  @Override
  public Set<String> supportedApplicationProtocols() {
    return http1.supportedApplicationProtocols();
  }

  @Override
  public ServerConnection connection(ConnectionContext context) {
    if (refusing) {
      return new RefusedConnection();
    }
    Optional<DirectSocket> socket = DirectSocket.of(context);
    if (socket.isEmpty()) {
      return http1.connection(context);
    }
    return new DirectConnection(
        http1.connection(new DirectContext(context, socket.get().reader())), socket.get(), monitor);
  }

  /** Helidon's connection, run with {@link DirectSocket#CURRENT} bound. */
  private record DirectConnection(
      ServerConnection connection, DirectSocket socket, DisconnectMonitor monitor)
      implements ServerConnection {
    @Override
    public void handle(Limit limit) throws InterruptedException {
      monitor.add(socket.ahead());
      try {
        ScopedValue.where(DirectSocket.CURRENT, socket)
            .call(() -> {
              connection.handle(limit);
              return this;
            });
      } finally {
        monitor.remove(socket.ahead());
      }
    }

    @Override
    public Duration idleTime() {
      return connection.idleTime();
    }

    @Override
    public void close(boolean interrupt) {
      connection.close(interrupt);
    }
  }

  /** A connection that ends at once; the listener closes the socket. */
  private record RefusedConnection() implements ServerConnection {
    @Override
    public void handle(Limit limit) {}

    @Override
    public Duration idleTime() {
      return Duration.ZERO;
    }

    @Override
    public void close(boolean interrupt) {}
  }

  /** A context that replaces Helidon's reader. */
  private record DirectContext(ConnectionContext context, DataReader dataReader)
      implements ConnectionContext {
    @Override
    public ListenerContext listenerContext() {
      return context.listenerContext();
    }

    @Override
    public ExecutorService executor() {
      return context.executor();
    }

    @Override
    public DataWriter dataWriter() {
      return context.dataWriter();
    }

    @Override
    public Router router() {
      return context.router();
    }

    @Override
    public Optional<ProxyProtocolData> proxyProtocolData() {
      return context.proxyProtocolData();
    }

    @Override
    public HelidonSocket serverSocket() {
      return context.serverSocket();
    }

    @Override
    public PeerInfo remotePeer() {
      return context.remotePeer();
    }

    @Override
    public PeerInfo localPeer() {
      return context.localPeer();
    }

    @Override
    public boolean isSecure() {
      return context.isSecure();
    }

    @Override
    public String socketId() {
      return context.socketId();
    }

    @Override
    public String childSocketId() {
      return context.childSocketId();
    }
  }
}
