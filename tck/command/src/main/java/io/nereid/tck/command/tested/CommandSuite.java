package io.nereid.tck.command.tested;

import io.nereid.tck.ModelControlMode;
import io.nereid.tck.ServerUnderTest;
import io.nereid.tck.suite.ServerSuite;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;

/** The suite, on the servers of the run that JUnit was started by. */
final class CommandSuite extends ServerSuite {
  @TempDir private static Path sharedModels = Path.of("");

  /** Bound while JUnit runs, which makes the suite's instances itself. */
  static final ScopedValue<TestedServers> SERVERS = ScopedValue.newInstance();

  @AfterAll
  static void stopShared() {
    SERVERS.get().stopShared();
  }

  @Override
  public ServerUnderTest startShared(Path directory) throws Exception {
    return SERVERS.get().startShared(sharedModels);
  }

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
