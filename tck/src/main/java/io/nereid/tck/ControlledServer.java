package io.nereid.tck;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;

/**
 * Two repositories and a server on them whose models a test controls.
 *
 * @param repository with the model {@code simple} of {@link TckModels}, and what tests add
 * @param other empty, but for what tests add
 */
public record ControlledServer(
    ServerUnderTest server, RepositoryFolder repository, RepositoryFolder other)
    implements AutoCloseable {
  /**
   * Starts a server; skips the test if there is none with that mode.
   *
   * @param directory for the repositories, and what tests have added to them before
   * @param startupModels what to load at start, in explicit mode
   */
  public static ControlledServer start(
      ServerFactory factory, Path directory, ModelControlMode mode, String... startupModels)
      throws Exception {
    var repository = RepositoryFolder.at(directory.resolve("models"));
    var other = RepositoryFolder.at(directory.resolve("others"));
    repository.add("simple", TckModels.config("simple"), 1);
    var server =
        factory.startServer(mode, List.of(repository.path(), other.path()), List.of(startupModels));
    assumeTrue(
        server.isPresent(), "the kit starts no server of this kind with control mode " + mode);
    return new ControlledServer(server.orElseThrow(), repository, other);
  }

  @Override
  public void close() {
    server.close();
  }
}
