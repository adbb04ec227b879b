package io.nereid.server.backend;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.BackendSettings;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.MalformedURLException;
import java.net.URL;
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
 * The backends that this server can run, by name, and those that run already. A backend that cannot
 * be loaded or opened is a line in the log and an UNAVAILABLE answer to whoever asks for it. Calls
 * are serialised.
 */
public final class BackendCatalog implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(BackendCatalog.class.getName());

  private final Map<String, BackendProvider> providers = new TreeMap<>();
  private final Map<String, Map<String, String>> options;
  private final Map<String, Backend> open = new LinkedHashMap<>();

  /** Why a backend does not work, by its name. */
  private final Map<String, InferenceException> failures = new TreeMap<>();

  /**
   * Looks for providers: one folder of jars a backend under {@code directory}, then the class path.
   *
   * @param directory may be absent
   * @param options by backend; those under the empty name are for all
   */
  public BackendCatalog(Path directory, Map<String, Map<String, String>> options) {
    this.options = options;
    for (Path folder : list(directory, "")) {
      if (Files.isDirectory(folder)) {
        scan(folder);
      }
    }
    collect(BackendCatalog.class.getClassLoader(), "the class path");
  }

  /** The names of all backends found. */
  public synchronized List<String> names() {
    return List.copyOf(providers.keySet());
  }

  /**
   * The backend of that name, opened if it is not open yet.
   *
   * @throws InferenceException UNAVAILABLE if there is none, or why it does not work
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
    try {
      backend = provider.open(settings(name));
    } catch (RuntimeException | LinkageError refused) {
      throw fail(name, refused);
    }
    open.put(name, backend);
    return backend;
  }

  private BackendSettings settings(String name) {
    var merged = new LinkedHashMap<>(options.getOrDefault("", Map.of()));
    merged.putAll(options.getOrDefault(name, Map.of()));
    return new BackendSettings(merged);
  }

  /** Logs a failure once and keeps it for whoever asks. */
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
    List<URL> jars = new ArrayList<>();
    for (Path jar : list(folder, ".jar")) {
      try {
        jars.add(jar.toUri().toURL());
      } catch (MalformedURLException impossible) {
        throw new IllegalStateException(impossible);
      }
    }
    if (jars.isEmpty()) {
      LOG.log(Level.WARNING, "no jar in backend folder {0}", folder);
      return;
    }
    // The loader lives as long as the server: native libraries go with their loader.
    if (collect(new BackendClassLoader(name, jars), folder.toString()) == 0
        && !failures.containsKey(name)) {
      fail(
          name,
          InferenceException.unavailable(
              "no jar in %s declares a %s".formatted(folder, BackendProvider.class.getName())));
    }
  }

  private int collect(ClassLoader loader, String where) {
    int found = 0;
    try {
      for (BackendProvider provider : ServiceLoader.load(BackendProvider.class, loader)) {
        found++;
        if (providers.putIfAbsent(provider.name(), provider) != null) {
          LOG.log(
              Level.WARNING,
              "backend ''{0}'' of {1} is ignored: there is one of that name already",
              provider.name(),
              where);
        }
      }
    } catch (ServiceConfigurationError | LinkageError | RuntimeException broken) {
      String name = Path.of(where).getFileName().toString();
      fail(name, broken);
    }
    return found;
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

  /** Closes the open backends, the last one first; after their models. */
  @Override
  public synchronized void close() {
    List<Backend> backends = new ArrayList<>(open.values());
    open.clear();
    for (Backend backend : backends.reversed()) {
      backend.close();
    }
  }
}
