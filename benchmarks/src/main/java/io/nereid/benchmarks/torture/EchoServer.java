package io.nereid.benchmarks.torture;

import io.nereid.benchmarks.sender.Sender;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * Returns a byte on each connection, and is its own client: an exchange takes as long as this
 * machine delays one.
 */
record EchoServer(ServerSocket server) implements Sender {
  private static final int BACKLOG = 64;

  /** Listens on a free port of the loopback interface. */
  static EchoServer start() throws IOException {
    var echo = new EchoServer(new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress()));
    Thread.ofPlatform().name("echo").daemon().start(echo::serve);
    return echo;
  }

  private void serve() {
    while (!server.isClosed()) {
      try (Socket socket = server.accept()) {
        socket.getOutputStream().write(socket.getInputStream().read());
      } catch (IOException _) {
        // the client has left, or the server is closed, which ends the loop
      }
    }
  }

  @Override
  public void send() throws IOException {
    try (var socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
      socket.getOutputStream().write(1);
      if (socket.getInputStream().read() != 1) {
        throw new IOException("no echo");
      }
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
