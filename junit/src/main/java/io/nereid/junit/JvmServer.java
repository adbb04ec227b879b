package io.nereid.junit;

import static io.nereid.junit.ServerAddresses.LOOPBACK;

import io.nereid.server.NereidServer;
import io.nereid.server.ServerBuilder;
import java.io.IOException;
import java.util.OptionalInt;
import java.util.function.IntSupplier;

/** A server in this JVM. */
record JvmServer(NereidServer server, ServerLog log) implements TestServer.Running {
  /**
   * @throws IOException if the server does not start
   */
  static JvmServer start(ServerConfiguration configuration, ServerLog log) throws IOException {
    ServerBuilder builder =
        NereidServer.builder()
            .http(0)
            .grpc(0)
            .metrics(0)
            .option("http-address", LOOPBACK)
            .option("grpc-address", LOOPBACK)
            .option("metrics-address", LOOPBACK)
            .option("server-warmup", "0"); // a test has few requests
    configuration.repositories().forEach(builder::repository);
    for (String option : configuration.options()) {
      int name = option.indexOf('=');
      builder.option(option.substring(0, name), option.substring(name + 1));
    }
    return new JvmServer(builder.start(), log);
  }

  @Override
  public ServerAddresses addresses() {
    return new ServerAddresses(
        port(server::httpPort), port(server::grpcPort), port(server::metricsPort));
  }

  private static OptionalInt port(IntSupplier port) {
    try {
      return OptionalInt.of(port.getAsInt());
    } catch (IllegalStateException notServed) {
      return OptionalInt.empty();
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
