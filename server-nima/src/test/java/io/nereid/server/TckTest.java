package io.nereid.server;

import io.nereid.tck.ModelControlMode;
import io.nereid.tck.ServerCommand;
import io.nereid.tck.ServerFactory;
import io.nereid.tck.ServerUnderTest;
import io.nereid.tck.suite.ServerSuite;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Runs the TCK against the server. Each class must release all memory.
 *
 * <p>With the system property {@code tck.server} another server is verified ({@link
 * ServerCommand}).
 */
class TckTest extends ServerSuite {
  private static ServerFactory servers() {
    var other = ServerCommand.ofProperty();
    return other.isPresent() ? other.get() : new TckServers();
  }

  @Override
  public ServerUnderTest startServer(Path modelRepository) throws Exception {
    return servers().startServer(modelRepository);
  }

  @Override
  public Optional<ServerUnderTest> startServer(
      ModelControlMode mode, List<Path> modelRepositories, List<String> startupModels)
      throws Exception {
    return servers().startServer(mode, modelRepositories, startupModels);
  }
}
