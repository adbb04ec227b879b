package io.nereid.server.backend;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.BackendSettings;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;

/**
 * The backends that this server finds, and those that are open, by name. A backend that cannot be
 * loaded or opened is one line in the log, and {@link #open} fails as UNAVAILABLE. Thread-safe:
 * calls are serialised.
 */
public final class BackendCatalog implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(BackendCatalog.class.getName());

  private final Map<String, BackendProvider> providers = new TreeMap<>();
  private final Map<String, Map<String, String>> options;
  private final Map<String, Backend> open = new LinkedHashMap<>();

  /** Why backends do not work, by name. */
  private final Map<String, InferenceException> failures = new TreeMap<>();

  /**
   * Finds providers: in each folder of jars under {@code directory}, then on the class path. Of
   * providers with one name the first counts.
   *
   * @param directory need not exist
   * @param options by backend; those under the empty name apply to all
   */
  public BackendCatalog(Path directory, Map<String, Map<String, String>> options) {
    this.options = options;
    for (Path folder : list(directory, "")) {
      if (Files.isDirectory(folder)) {
        scan(folder);
      }
    }
    collect(BackendCatalog.class.getClassLoader(), List.of(), "the class path");
  }

  /** The names of all backends found. */
  public synchronized List<String> names() {
    return List.copyOf(providers.keySet());
  }

  /**
   * Returns the backend of that name, and opens it at the first call.
   *
   * @throws InferenceException UNAVAILABLE if there is none, or the reason why it does not work
   */
  public synchronized Backend open(String name) {
    Backend backend = open.get(name);
    if (backend != null) {
      return backend;
    }
    InferenceException failure = failures.get(name);
    if (failure != null) {
      throw failure;
    }
    BackendProvider provider = providers.get(name);
    if (provider == null) {
      throw InferenceException.unavailable(
          ("unable to find backend library for backend '%s', try specifying runtime on the model"
                  + " configuration. Backends found: %s")
              .formatted(name, providers.keySet()));
    }
    try (var _ = new BackendContext(provider)) {
      backend = provider.open(settings(name));
    } catch (RuntimeException | LinkageError failed) {
      throw fail(name, failed);
    }
    open.put(name, backend);
    return backend;
  }

  private BackendSettings settings(String name) {
    var merged = new LinkedHashMap<>(options.getOrDefault("", Map.of()));
    merged.putAll(options.getOrDefault(name, Map.of()));
    return new BackendSettings(merged);
  }

  /** Logs a failure, and keeps it for {@link #open}. */
  private InferenceException fail(String name, Throwable cause) {
    InferenceException failure =
        cause instanceof InferenceException known
            ? known
            : new InferenceException(
                StatusCode.UNAVAILABLE,
                "backend '%s' cannot be loaded: %s".formatted(name, cause),
                cause);
    LOG.log(Level.ERROR, "backend ''{0}'' is unavailable: {1}", name, failure.getMessage());
    failures.put(name, failure);
    return failure;
  }

  private void scan(Path folder) {
    String name = folder.getFileName().toString();
    List<Path> jars = list(folder, ".jar");
    if (jars.isEmpty()) {
      LOG.log(Level.WARNING, "no jar in backend folder {0}", folder);
      return;
    }
    // The loader lives as long as the server: native libraries are unloaded with their loader.
    if (collect(new BackendClassLoader(name, jars), jars, folder.toString()) == 0
        && !failures.containsKey(name)) {
      fail(
          name,
          InferenceException.unavailable(
              "no jar in %s declares a %s".formatted(folder, BackendProvider.class.getName())));
    }
  }

  /**
   * Adds the providers of a loader.
   *
   * @param jars whose module descriptors count: they are no modules here, so that {@link
   *     ServiceLoader} reads their service files only
   */
  private int collect(ClassLoader loader, List<Path> jars, String where) {
    Map<Class<?>, BackendProvider> found = new LinkedHashMap<>();
    try (var _ = new BackendContext(loader)) {
      for (BackendProvider provider : ServiceLoader.load(BackendProvider.class, loader)) {
        found.put(provider.getClass(), provider);
        add(provider, where);
      }
      for (Path jar : jars) {
        for (Class<?> type : ModuleProviders.of(jar, loader)) {
          if (!found.containsKey(type)) {
            BackendProvider provider = ModuleProviders.open(type);
            found.put(type, provider);
            add(provider, where);
          }
        }
      }
    } catch (ServiceConfigurationError
        | ReflectiveOperationException
        | LinkageError
        | RuntimeException broken) {
      fail(Path.of(where).getFileName().toString(), broken);
    }
    return found.size();
  }

  private void add(BackendProvider provider, String where) {
    if (providers.putIfAbsent(provider.name(), provider) != null) {
      LOG.log(
          Level.WARNING,
          "backend ''{0}'' of {1} is ignored: there is one of that name already",
          provider.name(),
          where);
    }
  }

  private static List<Path> list(Path directory, String suffix) {
    List<Path> found = new ArrayList<>();
    if (!Files.isDirectory(directory)) {
      return found;
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, "*" + suffix)) {
      entries.forEach(found::add);
    } catch (IOException unreadable) {
      LOG.log(Level.WARNING, "cannot list " + directory, unreadable);
    }
    found.sort(null);
    return found;
  }

  /** Closes the open backends, the last one first. Called once their models are closed. */
  @Override
  public synchronized void close() {
    List<Backend> backends = new ArrayList<>(open.values());
    open.clear();
    for (Backend backend : backends.reversed()) {
      try (var _ = new BackendContext(backend)) {
        backend.close();
      }
    }
  }
}
