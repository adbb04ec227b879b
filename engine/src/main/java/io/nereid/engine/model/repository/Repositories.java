package io.nereid.engine.model.repository;

import io.nereid.engine.model.repository.cache.CacheLocation;
import io.nereid.engine.model.repository.cache.ObjectCache;
import io.nereid.engine.model.repository.cache.Retries;
import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import io.nereid.spi.repository.ObjectStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The model repositories of a server, in the order in which the operator names them: local ones and
 * those in object stores. Only the latter need a cache and the stores' jars.
 */
public final class Repositories implements AutoCloseable {
  private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*)://.*");

  /**
   * The operator's settings for repositories in object stores.
   *
   * @param storeDirectory of the folders of jars, one per kind of store; need not exist
   * @param cacheDirectory where to keep copies of objects; empty for the default
   * @param environment the environment variables of the process
   */
  public record Settings(
      Path storeDirectory, Optional<Path> cacheDirectory, Map<String, String> environment) {
    public Settings {
      environment = Map.copyOf(environment);
    }
  }

  private final Settings settings;
  private final Optional<String> bareModel;
  private final List<ModelRepository> repositories = new ArrayList<>();
  private final List<ObjectStore> open = new ArrayList<>();
  private @Nullable ObjectStores stores;
  private @Nullable ObjectCache cache;

  private Repositories(Optional<String> bareModel, Settings settings) {
    this.bareModel = bareModel;
    this.settings = settings;
  }

  /**
   * Opens repositories; reads none of them.
   *
   * @param locations directories, or locations of object stores with their schemes
   * @param bareModel the name of the model whose files are at the only location, without a layout;
   *     empty if there are directories of models
   * @throws InferenceException if a location is not valid, or the store's jars are missing
   * @throws IOException if the cache cannot be written
   */
  public static Repositories open(
      List<String> locations, Optional<String> bareModel, Settings settings) throws IOException {
    var repositories = new Repositories(bareModel, settings);
    try {
      for (String location : locations) {
        repositories.add(location);
      }
      return repositories;
    } catch (IOException | RuntimeException failed) {
      repositories.close();
      throw failed;
    }
  }

  private void add(String location) throws IOException {
    Matcher matcher = SCHEME.matcher(location);
    if (!matcher.matches()) {
      repositories.add(new LocalRepository(Path.of(location), bareModel));
      return;
    }
    if (stores == null) {
      stores = new ObjectStores(settings.storeDirectory());
    }
    ObjectStore store =
        stores.open(matcher.group(1).toLowerCase(Locale.ROOT), location, settings.environment());
    open.add(store);
    if (cache == null) {
      cache = openCache(CacheLocation.of(settings.cacheDirectory(), settings.environment()));
    }
    repositories.add(new RemoteRepository(location, store, bareModel, cache, Retries.DEFAULT));
  }

  private static ObjectCache openCache(Path directory) throws IOException {
    try {
      return ObjectCache.open(directory, Retries.DEFAULT, InstantSource.system());
    } catch (IOException failure) {
      throw new IOException(
          ("the cache of object stores cannot be in '%s': %s; --repository-cache-directory names"
                  + " another directory")
              .formatted(directory, IoReason.withPath(failure)),
          failure);
    }
  }

  /** In the order of their locations. */
  public List<ModelRepository> all() {
    return List.copyOf(repositories);
  }

  /** Closes stores and the cache. Called once, when no model is loaded any more. */
  @Override
  public void close() {
    open.forEach(ObjectStore::close);
    if (cache != null) {
      cache.close();
    }
  }
}
