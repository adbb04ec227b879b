package io.nereid.server.client;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A port in front of a server whose connections a test resets, as they are when a process is
 * killed. It outlives the server, and keeps its port.
 */
final class CuttingProxy implements AutoCloseable {
  private static final int BUFFER = 16 << 10;

  private final ServerSocket listener;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile int target;
  private volatile boolean isRefusing;

  /** {@code target}: the port of the server. */
  CuttingProxy(int target) throws IOException {
    this.target = target;
    listener = new ServerSocket(0, 1000, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  /** How many connections there are, counted on both sides. */
  int connections() {
    return open.size();
  }

  /** Further connections go to another port. */
  void target(int other) {
    target = other;
  }

  /** Resets all connections. */
  void cut() {
    open.forEach(CuttingProxy::reset);
  }

  /** Whether new connections are reset at once. */
  void refuse(boolean refuses) {
    isRefusing = refuses;
  }

  private static void reset(Socket socket) {
    try (socket) {
      socket.setSoLinger(true, 0);
    } catch (IOException closed) {
      // which is what it should be
    }
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        if (isRefusing) {
          reset(client);
        } else {
          Thread.ofVirtual().start(() -> connect(client));
        }
      }
    } catch (IOException closed) {
      // no more connections are wanted
    }
  }

  private void connect(Socket client) {
    Socket server = new Socket();
    open.add(client);
    open.add(server);
    try {
      server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      Thread.ofVirtual().start(() -> pump(server, client));
      pump(client, server);
    } catch (IOException noServer) {
      end(client);
      end(server);
    }
  }

  private void pump(Socket from, Socket to) {
    byte[] buffer = new byte[BUFFER];
    try {
      InputStream in = from.getInputStream();
      for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
        to.getOutputStream().write(buffer, 0, length);
      }
    } catch (IOException broken) {
      // then the other side ends, too
    } finally {
      end(from);
      end(to);
    }
  }

  private void end(Socket socket) {
    reset(socket);
    open.remove(socket);
  }

  @Override
  public void close() throws IOException {
    listener.close();
    cut();
  }
}
