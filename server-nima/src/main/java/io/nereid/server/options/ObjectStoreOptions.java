package io.nereid.server.options;

import io.nereid.engine.model.repository.Repositories;
import io.nereid.server.options.declaration.OptionGroup;
import io.nereid.server.options.declaration.OptionValue;
import java.nio.file.Path;
import java.util.Map;

/** The options of model repositories in object stores. */
public final class ObjectStoreOptions extends OptionGroup {
  private final OptionValue<Path> directory =
      folder("--object-store-directory", "repositories")
          .help(
              "Directory with one folder of jars per kind of object store. Default: repositories/"
                  + " of the distribution.");

  private final OptionValue<Path> cacheDirectory =
      option("--repository-cache-directory=<directory>", Path.class, null)
          .help(
              "Directory to keep copies of objects in; several servers can use it."
                  + " Default: TRITON_AWS_MOUNT_DIRECTORY, XDG_CACHE_HOME or ~/.cache.");

  /**
   * The settings of repositories in object stores.
   *
   * @param environment the environment variables of the process
   */
  public Repositories.Settings settings(Map<String, String> environment) {
    return new Repositories.Settings(directory.get(), cacheDirectory.given(), environment);
  }
}
