package io.nereid.engine.backend;

import io.nereid.engine.plugin.PluginContext;
import io.nereid.engine.plugin.ProviderSearch;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.BackendSettings;
import io.nereid.spi.Check;
import io.nereid.spi.SharedDeviceMemory;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The backends that this server finds, and those that are open, by name. A backend that cannot be
 * loaded or opened is one line in the log, and {@link #open} fails as UNAVAILABLE. Thread-safe:
 * calls are serialised.
 */
public final class BackendCatalog implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(BackendCatalog.class.getName());

  /** Loading the libraries of a GPU takes seconds. */
  private static final Duration MAX_CHECK = Duration.ofMinutes(1);

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
    ProviderSearch.run(
        BackendProvider.class,
        "backend",
        directory,
        new ProviderSearch.Results<>() {
          @Override
          public void found(BackendProvider provider, String where) {
            add(provider, where);
          }

          @Override
          public void failed(String name, Throwable cause) {
            var _ = fail(name, cause);
          }
        });
  }

  /** The names of all backends found. */
  public synchronized List<String> names() {
    return List.copyOf(providers.keySet());
  }

  /**
   * Returns the backend of that name, and opens it at the first call.
   *
   * @throws InferenceException INVALID_ARGUMENT if there is none, or the reason why it does not
   *     work
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
      throw InferenceException.invalid(
          ("unable to find backend library for backend '%s', try specifying runtime on the model"
                  + " configuration. Backends found: %s")
              .formatted(name, providers.keySet()));
    }
    try (var _ = new PluginContext(provider)) {
      backend = provider.open(settings(name));
    } catch (RuntimeException | LinkageError failed) {
      throw fail(name, failed);
    }
    open.put(name, backend);
    return backend;
  }

  /**
   * Opens memory of a GPU that a client has allocated, by the first backend, by name, that opens
   * such memory and can be opened.
   *
   * @param handle a {@code cudaIpcMemHandle_t}
   * @return owned by the caller; empty if no backend can
   * @throws InferenceException as {@link Backend#openSharedMemory} does
   */
  public Optional<SharedDeviceMemory> openSharedMemory(int gpu, byte[] handle, long byteSize) {
    Optional<Backend> sharing = sharingDeviceMemory();
    if (sharing.isEmpty()) {
      return Optional.empty();
    }
    Backend backend = sharing.get();
    try (var _ = new PluginContext(backend)) {
      return Optional.of(backend.openSharedMemory(gpu, handle, byteSize));
    }
  }

  private synchronized Optional<Backend> sharingDeviceMemory() {
    for (Map.Entry<String, BackendProvider> each : providers.entrySet()) {
      if (each.getValue().sharesDeviceMemory()) {
        try {
          return Optional.of(open(each.getKey()));
        } catch (InferenceException unavailable) {
          LOG.log(
              Level.DEBUG,
              "backend ''{0}'' opens no memory of GPUs: {1}",
              each.getKey(),
              unavailable.getMessage());
        }
      }
    }
    return Optional.empty();
  }

  /**
   * Checks what each backend needs of this machine, by name. A backend that cannot be loaded, or
   * cannot check, is a problem; one that does not return within a minute, as where a driver hangs,
   * is unavailable.
   */
  public Map<String, List<Check>> check() {
    return check(MAX_CHECK);
  }

  synchronized Map<String, List<Check>> check(Duration maxWait) {
    Map<String, List<Check>> checks = new TreeMap<>();
    failures.forEach((name, failure) -> checks.put(name, List.of(broken(failure.getMessage()))));
    providers.forEach((name, provider) -> checks.put(name, check(provider, maxWait)));
    return checks;
  }

  /** Checks on a daemon thread, which is interrupted if it does not return in time. */
  private List<Check> check(BackendProvider provider, Duration maxWait) {
    BackendSettings settings = settings(provider.name());
    var check =
        new FutureTask<>(() -> {
          try (var _ = new PluginContext(provider)) {
            return provider.check(settings);
          }
        });
    Thread.ofPlatform().daemon().name("check of " + provider.name()).start(check);
    try {
      return check.get(maxWait.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException failed) {
      return List.of(broken(String.valueOf(failed.getCause())));
    } catch (TimeoutException late) {
      check.cancel(/* mayInterruptIfRunning= */ true);
      return List.of(unanswered("within %d s".formatted(maxWait.toSeconds())));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return List.of(unanswered("before the check was interrupted"));
    }
  }

  private static Check unanswered(String when) {
    return Check.unavailable(
        "backend",
        "has not answered " + when,
        "see whether its device works, a GPU of NVIDIA with nvidia-smi");
  }

  private static Check broken(@Nullable String message) {
    return Check.problem(
        "backend", String.valueOf(message), "repair its jars, or remove them from its folder");
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

  private void add(BackendProvider provider, String where) {
    if (providers.putIfAbsent(provider.name(), provider) != null) {
      LOG.log(
          Level.WARNING,
          "backend ''{0}'' of {1} is ignored: there is one of that name already",
          provider.name(),
          where);
    }
  }

  /** Has the open backends cancel what takes long to load, since the server stops. */
  public synchronized void cancelLoads() {
    for (Backend backend : open.values()) {
      try (var _ = new PluginContext(backend)) {
        backend.cancelLoads();
      }
    }
  }

  /** Closes the open backends, the last one first. Called once their models are closed. */
  @Override
  public synchronized void close() {
    List<Backend> backends = new ArrayList<>(open.values());
    open.clear();
    for (Backend backend : backends.reversed()) {
      try (var _ = new PluginContext(backend)) {
        backend.close();
      }
    }
  }
}
