package io.nereid.junit;

import io.nereid.client.NereidClient;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A server for test classes of one configuration, with its clients. Thread-safe. The close stops
 * the server.
 */
final class TestServer implements AutoCloseable {
  /** The part of a server that differs: in this JVM, or in a process. */
  interface Running extends AutoCloseable {
    ServerAddresses addresses();

    ServerLog log();

    @Override
    void close();
  }

  private final Running running;
  private @Nullable NereidClient rest;
  private @Nullable NereidClient grpc;

  private TestServer(Running running) {
    this.running = running;
  }

  /**
   * Starts a server; returns once it is ready.
   *
   * @param log of this JVM
   * @throws IOException if it does not start; then the log says why
   */
  static TestServer start(ServerConfiguration configuration, ServerLog log) throws IOException {
    return new TestServer(
        configuration.distribution().isEmpty()
            ? JvmServer.start(configuration, log)
            : ProcessServer.start(configuration));
  }

  ServerAddresses addresses() {
    return running.addresses();
  }

  ServerLog log() {
    return running.log();
  }

  /** The client over REST that all tests use. */
  synchronized NereidClient rest() {
    NereidClient client = rest == null ? NereidClient.connect(addresses().http()) : rest;
    rest = client;
    return client;
  }

  /** The client over gRPC that all tests use. */
  synchronized NereidClient grpc() {
    NereidClient client = grpc == null ? NereidClient.connect(addresses().grpc()) : grpc;
    grpc = client;
    return client;
  }

  @Override
  public synchronized void close() {
    if (rest != null) {
      rest.close();
    }
    if (grpc != null) {
      grpc.close();
    }
    running.close();
  }
}
