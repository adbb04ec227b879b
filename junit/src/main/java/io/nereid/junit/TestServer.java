package io.nereid.junit;

import io.nereid.client.NereidClient;
import java.io.IOException;
import java.util.Iterator;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * A server for test classes of one configuration, with its clients. Thread-safe. The close stops
 * the server.
 */
final class TestServer implements AutoCloseable {
  private final RunningServer running;
  private final ServerLog log;
  private @Nullable NereidClient rest;
  private @Nullable NereidClient grpc;

  private TestServer(RunningServer running, ServerLog log) {
    this.running = running;
    this.log = log;
  }

  /**
   * Starts a server; returns once it is ready.
   *
   * @param log of this JVM
   * @throws IOException if it does not start; then the log says why
   */
  static TestServer start(ServerConfiguration configuration, ServerLog log) throws IOException {
    if (configuration.distribution().isEmpty()) {
      return new TestServer(
          inThisJvm().start(configuration.repositories(), configuration.options()), log);
    }
    ProcessServer process = ProcessServer.start(configuration);
    return new TestServer(process, process.log());
  }

  private static ServerStarter inThisJvm() throws IOException {
    String what = "a server in the JVM of the tests needs JDK 25 and io.nereid:nereid-junit-jvm";
    String instead = "with 'distribution', the server is a process";
    try {
      Iterator<ServerStarter> found =
          ServiceLoader.load(ServerStarter.class, TestServer.class.getClassLoader()).iterator();
      if (found.hasNext()) {
        return found.next();
      }
    } catch (ServiceConfigurationError | LinkageError unusable) {
      throw new IOException(
          "%s, but this is JDK %s: %s; %s"
              .formatted(what, Runtime.version().feature(), unusable.getMessage(), instead),
          unusable);
    }
    throw new IOException("%s, which is not on the class path; %s".formatted(what, instead));
  }

  ServerAddresses addresses() {
    return running.addresses();
  }

  ServerLog log() {
    return log;
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
