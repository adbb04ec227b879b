package io.nereid.server.frontend;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nereid.error.InferenceException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Map;

/** Tells each connection with one line whether the server is ready, and ends it. */
final class LineFrontEnd implements FrontEnd {
  private final Listener listener;
  private final String greeting;
  private final FrontEndServices services;
  private final ServerSocket socket;
  private final Thread thread = Thread.ofPlatform().name("lines").unstarted(this::serve);

  /** Found in the class path's {@code META-INF/services}. */
  public static final class Provider implements FrontEndProvider {
    @Override
    public String name() {
      return "lines";
    }

    @Override
    public FrontEnd open(
        Listener listener, Map<String, String> settings, FrontEndServices services) {
      for (String key : settings.keySet()) {
        if (!key.equals("greeting")) {
          throw InferenceException.invalid("lines has no setting '" + key + "'");
        }
      }
      return new LineFrontEnd(listener, settings.getOrDefault("greeting", "ready"), services);
    }
  }

  private LineFrontEnd(Listener listener, String greeting, FrontEndServices services) {
    this.listener = listener;
    this.greeting = greeting;
    this.services = services;
    try {
      socket = new ServerSocket();
    } catch (IOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  @Override
  public FrontEnd start() throws IOException {
    socket.bind(new InetSocketAddress(listener.address(), listener.port()));
    thread.start();
    return this;
  }

  private void serve() {
    while (!socket.isClosed()) {
      try (var client = socket.accept()) {
        String line = "%s: %b\n".formatted(greeting, services.engine().isReady());
        client.getOutputStream().write(line.getBytes(UTF_8));
      } catch (IOException _) {
        // it is being stopped, or the client has gone
      }
    }
  }

  @Override
  public int port() {
    return socket.getLocalPort();
  }

  @Override
  public boolean isWorking() {
    return thread.isAlive();
  }

  @Override
  public void refuseConnections() {
    try {
      socket.close();
    } catch (IOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  @Override
  public boolean stop(Duration grace) {
    refuseConnections();
    try {
      return thread.join(grace);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
