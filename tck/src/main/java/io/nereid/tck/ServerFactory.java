package io.nereid.tck;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What an implementer of {@link ServerVerification}s provides: as a {@code ServerSuite} for all of
 * them, or as an interface of one's own with default methods, for some.
 */
public interface ServerFactory {
  /**
   * Starts a server on free ports and returns once it is ready.
   *
   * @param modelRepository a folder with the models to serve, all of them at start
   */
  ServerUnderTest startServer(Path modelRepository) throws Exception;

  /**
   * A server of {@link TckModels} for tests that do not mind what others have asked it: a new one,
   * or one that several classes of tests have, one after the other.
   *
   * @param directory for the models of a new one; empty
   */
  default ServerUnderTest startShared(Path directory) throws Exception {
    TckModels.extractTo(directory);
    return startServer(directory);
  }

  /**
   * Starts a server as {@link #startServer(Path)} does, with a control mode. Tests change the
   * repositories while it runs.
   *
   * @param startupModels in explicit mode, the models to load at start; {@code *} alone for all
   * @return empty if the server does not have the mode: the tests of it are skipped
   */
  default Optional<ServerUnderTest> startServer(
      ModelControlMode mode, List<Path> modelRepositories, List<String> startupModels)
      throws Exception {
    return Optional.empty();
  }
}
