package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.tck.ModelControlMode;
import io.nereid.tck.ServerFactory;
import io.nereid.tck.ServerUnderTest;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Starts servers in this process for the TCK. Their close fails if a lease is outstanding. */
public final class TckServers implements ServerFactory {
  private static final String LOOPBACK = "127.0.0.1";

  private final List<String> options;

  /** Servers with further options. */
  public TckServers(String... options) {
    this.options = List.of(options);
  }

  private ServerUnderTest start(Path modelRepository, List<String> more) throws IOException {
    List<String> arguments = new ArrayList<>(options);
    arguments.addAll(
        List.of("--allow-metrics=true", "--metrics-port=0", "--allow-client-shm=true"));
    arguments.addAll(more);
    var pool = new CheckedBufferPool();
    NereidServer server =
        LocalServer.start(
            LocalServer.options(modelRepository, arguments.toArray(String[]::new)), pool);
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
    return start(modelRepository, List.of());
  }

  @Override
  public Optional<ServerUnderTest> startServer(
      ModelControlMode mode, List<Path> modelRepositories, List<String> startupModels)
      throws IOException {
    List<String> arguments = new ArrayList<>();
    arguments.add("--model-control-mode=" + mode.name().toLowerCase(Locale.ROOT));
    arguments.add("--repository-poll-secs=1");
    arguments.add("--strict-readiness=every-model"); // as Triton, which the rules follow
    modelRepositories.stream().skip(1).forEach(more -> arguments.add("--model-repository=" + more));
    startupModels.forEach(model -> arguments.add("--load-model=" + model));
    return Optional.of(start(modelRepositories.getFirst(), arguments));
  }
}
