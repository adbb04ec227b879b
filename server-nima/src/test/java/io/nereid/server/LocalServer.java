package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.memory.CheckedBufferPool;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;

/**
 * A server on free ports of this machine, and a channel to it. Its close finds out whether memory
 * was given back.
 */
final class LocalServer implements AutoCloseable {
  private static final String LOOPBACK = "127.0.0.1";

  private final BufferPool pool;
  private final InferenceServer server;
  private final ManagedChannel channel;

  /** Starts a server of that repository. */
  LocalServer(Path repository) throws IOException {
    this(options(repository), new CheckedBufferPool());
  }

  /**
   * Starts a server.
   *
   * @param options made of {@link #options}
   */
  LocalServer(ServerOptions options, BufferPool pool) throws IOException {
    this.pool = pool;
    server = new InferenceServer(options, pool);
    server.start();
    channel = ManagedChannelBuilder.forAddress(LOOPBACK, server.grpcPort()).usePlaintext().build();
  }

  /** Both protocols on free ports, and no metrics. */
  static ServerOptions options(Path repository) {
    var options = new ServerOptions();
    options.modelRepositories.add(repository);
    options.httpAddress = LOOPBACK;
    options.httpPort = 0;
    options.grpcAddress = LOOPBACK;
    options.grpcPort = 0;
    options.allowMetrics = false;
    return options;
  }

  URI http() {
    return URI.create("http://" + LOOPBACK + ":" + server.httpPort());
  }

  ManagedChannel channel() {
    return channel;
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.close();
    assertThat(pool.outstanding()).as("leases that nobody gave back").isZero();
  }
}
