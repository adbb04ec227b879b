package io.nereid.server.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A port of HTTP in front of a server's, with a fault; a virtual thread for each connection. */
final class HttpFaultProxy implements AutoCloseable {
  private static final int BACKLOG = 100;

  private final int target;
  private final Fault fault;
  private final ServerSocket listener;
  private final Map<String, HttpMessage> first = new ConcurrentHashMap<>();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  /** {@code target}: the server's port on this machine. */
  HttpFaultProxy(int target, Fault fault) throws IOException {
    this.target = target;
    this.fault = fault;
    listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  URI address() {
    return URI.create("http://127.0.0.1:" + listener.getLocalPort());
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        Thread.ofVirtual().start(() -> serve(client));
      }
    } catch (IOException closed) {
      // by close()
    }
  }

  private void serve(Socket client) {
    try (client;
        var server = new Socket()) {
      open.add(client);
      open.add(server);
      server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      new HttpFaultConnection(fault, first, client, server).run();
      open.remove(client);
      open.remove(server);
    } catch (IOException ended) {
      // both sides end with the one that did
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
      for (Socket socket : open) {
        socket.close();
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
