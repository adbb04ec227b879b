package io.nereid.tck.command;

import io.nereid.tck.ModelControlMode;
import io.nereid.tck.ServerUnderTest;
import io.nereid.tck.suite.ServerSuite;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The suite, on the servers of the run that JUnit was started by. */
final class CommandSuite extends ServerSuite {
  /** Bound while JUnit runs, which makes the suite's instances itself. */
  static final ScopedValue<TestedServers> SERVERS = ScopedValue.newInstance();

  @Override
  public ServerUnderTest startServer(Path modelRepository) throws Exception {
    return SERVERS.get().startServer(modelRepository);
  }

  @Override
  public Optional<ServerUnderTest> startServer(
      ModelControlMode mode, List<Path> modelRepositories, List<String> startupModels)
      throws Exception {
    return SERVERS.get().startServer(mode, modelRepositories, startupModels);
  }
}
