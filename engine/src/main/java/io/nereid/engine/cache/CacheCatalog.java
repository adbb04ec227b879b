package io.nereid.engine.cache;

import io.nereid.engine.plugin.PluginContext;
import io.nereid.engine.plugin.PluginSettings;
import io.nereid.engine.plugin.ProviderSearch;
import io.nereid.error.InferenceException;
import io.nereid.spi.cache.CacheProvider;
import io.nereid.spi.cache.CacheSettings;
import io.nereid.spi.cache.ResponseCache;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The providers of caches that this server finds. Used by the thread that starts the server. */
public final class CacheCatalog {
  private static final System.Logger LOG = System.getLogger(CacheCatalog.class.getName());

  private final Path directory;
  private final Map<String, CacheProvider> providers = new TreeMap<>();

  /** Why folders have no cache, by their name. */
  private final Map<String, Throwable> failures = new TreeMap<>();

  private CacheCatalog(Path directory) {
    this.directory = directory;
    new ProviderSearch<>(CacheProvider.class, "cache", this::add, this::fail).run(directory);
  }

  private void add(CacheProvider provider, String where) {
    if (providers.putIfAbsent(provider.name(), provider) != null) {
      LOG.log(
          Level.WARNING,
          "cache ''{0}'' of {1} is ignored: there is one of that name already",
          provider.name(),
          where);
    }
  }

  private void fail(String name, Throwable cause) {
    LOG.log(Level.ERROR, "cache ''{0}'' is unavailable: {1}", name, cause);
    failures.put(name, cause);
  }

  /**
   * Opens the cache that the settings name.
   *
   * @param plugins without the name of a cache there is none
   * @throws InferenceException INVALID_ARGUMENT if there is more than one name; otherwise why the
   *     cache cannot be opened
   */
  public static Optional<ResponseCache> open(PluginSettings plugins) {
    if (plugins.settings().size() > 1) {
      throw InferenceException.invalid(
          "found multiple cache configurations, but only a single cache is currently supported");
    }
    return plugins.settings().entrySet().stream()
        .findFirst()
        .map(cache -> new CacheCatalog(plugins.directory()).open(cache.getKey(), cache.getValue()));
  }

  private ResponseCache open(String name, Map<String, String> settings) {
    CacheProvider provider = providers.get(name);
    if (provider == null) {
      Throwable failure = failures.get(name);
      throw failure == null
          ? InferenceException.invalid(
              "unable to find cache '%s'. Searched: %s. Caches found: %s"
                  .formatted(name, directory, providers.keySet()))
          : unusable(name, failure);
    }
    try (var _ = new PluginContext(provider)) {
      ResponseCache cache = provider.open(new CacheSettings(settings));
      LOG.log(Level.INFO, "response cache ''{0}'' is open", name);
      return cache;
    } catch (InferenceException known) {
      throw known;
    } catch (RuntimeException | LinkageError failed) {
      throw unusable(name, failed);
    }
  }

  private static InferenceException unusable(String name, Throwable cause) {
    return InferenceException.unavailable("cache '%s' cannot be opened: %s".formatted(name, cause));
  }
}
