package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.tck.ModelControlMode;
import io.nereid.tck.ServerCommand;
import io.nereid.tck.ServerUnderTest;
import io.nereid.tck.suite.ServerSuite;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Runs the TCK against the server. Each class must release all memory.
 *
 * <p>With the system property {@code tck.server} another server is verified ({@link
 * ServerCommand}).
 */
class TckTest extends ServerSuite {
  private static final String LOOPBACK = "127.0.0.1";

  private static ServerUnderTest start(Path modelRepository, String... more) throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of("--allow-metrics=true", "--metrics-port=0", "--allow-client-shm=true"));
    arguments.addAll(List.of(more));
    var options = LocalServer.options(modelRepository, arguments.toArray(String[]::new));
    var pool = new CheckedBufferPool();
    var server = new NereidServer(options, pool);
    server.start();
    return new ServerUnderTest(
        URI.create("http://" + LOOPBACK + ":" + server.httpPort()),
        LOOPBACK,
        server.grpcPort(),
        Optional.of(URI.create("http://" + LOOPBACK + ":" + server.metricsPort())),
        () -> {
          server.close();
          assertThat(pool.outstanding()).as("unreleased leases").isZero();
        });
  }

  @Override
  public ServerUnderTest startServer(Path modelRepository) throws IOException {
    var other = ServerCommand.ofProperty();
    return other.isPresent() ? other.get().startServer(modelRepository) : start(modelRepository);
  }

  @Override
  public Optional<ServerUnderTest> startServer(
      ModelControlMode mode, List<Path> modelRepositories, List<String> startupModels)
      throws IOException {
    var other = ServerCommand.ofProperty();
    if (other.isPresent()) {
      return other.get().startServer(mode, modelRepositories, startupModels);
    }
    List<String> arguments = new ArrayList<>();
    arguments.add("--model-control-mode=" + mode.name().toLowerCase(Locale.ROOT));
    arguments.add("--repository-poll-secs=1");
    arguments.add("--strict-readiness=every-model"); // as Triton, which the rules follow
    modelRepositories.stream().skip(1).forEach(more -> arguments.add("--model-repository=" + more));
    startupModels.forEach(model -> arguments.add("--load-model=" + model));
    return Optional.of(start(modelRepositories.getFirst(), arguments.toArray(String[]::new)));
  }
}
