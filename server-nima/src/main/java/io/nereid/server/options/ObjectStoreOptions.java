package io.nereid.server.options;

import io.nereid.engine.model.repository.Repositories;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of model repositories in object stores. */
public final class ObjectStoreOptions {
  @Option(
      names = "--object-store-directory",
      paramLabel = "<directory>",
      description =
          "Directory with one folder of jars per kind of object store. Default: repositories/ of"
              + " the distribution.")
  private Path directory = BackendOptions.distribution().resolve("repositories");

  @Option(
      names = "--repository-cache-directory",
      paramLabel = "<directory>",
      description =
          "Directory to keep copies of objects in; several servers can use it."
              + " Default: TRITON_AWS_MOUNT_DIRECTORY, XDG_CACHE_HOME or ~/.cache.")
  private @Nullable Path cacheDirectory;

  /**
   * The settings of repositories in object stores.
   *
   * @param environment the environment variables of the process
   */
  public Repositories.Settings settings(Map<String, String> environment) {
    return new Repositories.Settings(directory, Optional.ofNullable(cacheDirectory), environment);
  }
}
