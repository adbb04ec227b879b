package io.nereid.server;

import io.nereid.server.options.ServerOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes a server in a program's own process: front ends on an engine. What is not set is as the
 * command line has it. No signal stops the server, and the log of the process is left as it is.
 * Used by one thread.
 */
public final class ServerBuilder {
  private final List<String> options = new ArrayList<>(List.of("--server-warmup=0"));

  ServerBuilder() {}

  /** Adds a directory with models; at least one is needed. */
  public ServerBuilder repository(Path directory) {
    return option("model-repository", directory.toString());
  }

  /** Serves HTTP at a port; 0 for any free one. */
  public ServerBuilder http(int port) {
    return option("http-port", Integer.toString(port));
  }

  /** Serves no HTTP. */
  public ServerBuilder withoutHttp() {
    return option("allow-http", "false");
  }

  /** Serves gRPC at a port; 0 for any free one. */
  public ServerBuilder grpc(int port) {
    return option("grpc-port", Integer.toString(port));
  }

  /** Serves no gRPC. */
  public ServerBuilder withoutGrpc() {
    return option("allow-grpc", "false");
  }

  /** Serves metrics at a port; 0 for any free one. */
  public ServerBuilder metrics(int port) {
    return option("metrics-port", Integer.toString(port));
  }

  /** Serves no metrics. */
  public ServerBuilder withoutMetrics() {
    return option("allow-metrics", "false");
  }

  /**
   * Sets any other option of {@code nereid serve}, such as {@code http-address}. Of several values
   * the last counts, unless the option takes several.
   *
   * @param name without the hyphens
   */
  public ServerBuilder option(String name, String value) {
    options.add("--" + name + "=" + value);
    return this;
  }

  /**
   * Starts the server: its models are loaded, and it listens. If that fails, everything that was
   * started has ended.
   *
   * @throws IllegalArgumentException if an option is not valid
   * @throws io.nereid.error.InferenceException if models cannot be loaded; the message names them,
   *     with their reasons
   * @throws IOException if a file that the options name cannot be written, or an address not bound
   */
  public NereidServer start() throws IOException {
    var server = new NereidServer(ServerOptions.of(options.toArray(String[]::new)));
    try {
      server.start();
      return server;
    } catch (IOException | RuntimeException | Error failed) {
      try (server) {
        throw failed;
      }
    }
  }
}
