package io.nereid.engine.model.repository;

import io.nereid.engine.plugin.PluginContext;
import io.nereid.engine.plugin.ProviderSearch;
import io.nereid.error.InferenceException;
import io.nereid.spi.repository.ObjectStore;
import io.nereid.spi.repository.ObjectStoreProvider;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * The object stores that this server can read, by the schemes of their locations. They are optional
 * parts: folders of jars, each with a class loader of its own.
 */
final class ObjectStores {
  private static final System.Logger LOG = System.getLogger(ObjectStores.class.getName());

  private final Path directory;
  private final Map<String, ObjectStoreProvider> providers = new TreeMap<>();

  /** Why folders do not work, by name. */
  private final Map<String, Throwable> failures = new TreeMap<>();

  /**
   * Finds providers in each folder of jars, then on the class path. Of providers with one scheme
   * the first counts.
   *
   * @param directory need not exist
   */
  ObjectStores(Path directory) {
    this.directory = directory;
    new ProviderSearch<>(ObjectStoreProvider.class, "repository", this::add, this::fail)
        .run(directory);
  }

  private void add(ObjectStoreProvider provider, String where) {
    for (String scheme : provider.schemes()) {
      if (providers.putIfAbsent(scheme, provider) != null) {
        LOG.log(Level.WARNING, "{0} of {1} is ignored: there is one already", scheme, where);
      }
    }
  }

  private void fail(String name, Throwable cause) {
    LOG.log(Level.ERROR, "the jars in {0} cannot be used: {1}", directory.resolve(name), cause);
    failures.put(name, cause);
  }

  /**
   * Opens the store of a location.
   *
   * @param scheme of the location, in lower case
   * @throws InferenceException UNAVAILABLE if there is none for the scheme, or INVALID_ARGUMENT if
   *     it does not accept the location
   */
  ObjectStore open(String scheme, String location, Map<String, String> environment) {
    ObjectStoreProvider provider = providers.get(scheme);
    if (provider == null) {
      throw InferenceException.unavailable(
          "model repository '%s' cannot be read: %s".formatted(location, missing(scheme)));
    }
    try (var _ = new PluginContext(provider)) {
      return new PluginStore(provider.open(location, environment));
    } catch (LinkageError broken) {
      throw InferenceException.unavailable(
          "model repository '%s' cannot be read: the jars in '%s' cannot be used: %s"
              .formatted(location, directory.resolve(scheme), broken));
    }
  }

  private String missing(String scheme) {
    Throwable failure = failures.get(scheme);
    if (failure != null) {
      return "the jars in '%s' cannot be used: %s".formatted(directory.resolve(scheme), failure);
    }
    return switch (scheme) {
      case "s3" ->
          "the folder '%s' is missing; it is an optional part of Nereid, see \"Repositories in S3\""
                  .formatted(directory.resolve(scheme))
              + " in docs/models.md";
      case "gs" -> "Nereid does not support Google Cloud Storage";
      case "as" -> "Nereid does not support Azure Storage";
      default -> "no folder in '%s' is for %s:// locations".formatted(directory, scheme);
    };
  }
}
