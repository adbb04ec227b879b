package io.nereid.junit.jvm;

import static io.nereid.junit.ServerAddresses.LOOPBACK;

import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import io.nereid.junit.RunningServer;
import io.nereid.junit.ServerAddresses;
import io.nereid.junit.ServerStarter;
import io.nereid.server.NereidServer;
import io.nereid.server.ServerBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.IntSupplier;

/** A server in this JVM. */
record JvmServer(NereidServer server) implements RunningServer {
  /** Found by {@link java.util.ServiceLoader}. */
  public static final class Starter implements ServerStarter {
    @Override
    public RunningServer start(List<Path> repositories, List<String> options) throws IOException {
      ServerBuilder builder =
          NereidServer.builder()
              .http(0)
              .grpc(0)
              .metrics(0)
              .option("http-address", LOOPBACK)
              .option("grpc-address", LOOPBACK)
              .option("metrics-address", LOOPBACK)
              .option("server-warmup", "0"); // a test has few requests
      repositories.forEach(builder::repository);
      for (String option : options) {
        int name = option.indexOf('=');
        builder.option(option.substring(0, name), option.substring(name + 1));
      }
      try {
        return new JvmServer(builder.start());
      } catch (IOException file) {
        throw new IOException(IoReason.withPath(file), file);
      } catch (InferenceException | IllegalArgumentException expected) { // a model, or an option
        throw new IOException(expected.getMessage(), expected);
      }
    }
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
