package io.nereid.engine.backend;

import io.nereid.engine.plugin.PluginContext;
import io.nereid.engine.plugin.PluginSettings;
import io.nereid.engine.plugin.ProviderSearch;
import io.nereid.engine.thread.BoundedCall;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Check;
import io.nereid.spi.SharedDeviceMemory;
import io.nereid.spi.metrics.MetricFamily;
import io.nereid.spi.metrics.MetricStore;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The backends that this server finds, and those that are open, by name. A backend that cannot be
 * loaded or opened is one line in the log, and {@link #open} fails as UNAVAILABLE. Thread-safe; a
 * backend whose open does not return holds up those who want to open it, and no other.
 */
public final class BackendCatalog implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(BackendCatalog.class.getName());

  private static final String KIND = "backend";

  /** Loading the libraries of a GPU takes seconds. */
  private static final Duration MAX_CHECK = Duration.ofMinutes(1);

  /** The longest that a client waits whose memory is opened. */
  private static final Duration MAX_OPEN_MEMORY = Duration.ofSeconds(10);

  /** The longest that the stop of the server waits for one call of a backend. */
  private static final Duration MAX_STOP = Duration.ofSeconds(5);

  private final Path directory;

  /** By name; changed by the constructor only, as is what follows. */
  private final Map<String, BackendProvider> providers = new TreeMap<>();

  /** The names of providers by their aliases. */
  private final Map<String, String> aliases = new TreeMap<>();

  private final Map<String, Map<String, String>> options;

  private final OpenBackends open;

  /** The names of those that are the program's. */
  private final Set<String> ofProgram;

  private final MetricStore metrics = new MetricStore();

  /** Why backends do not work, by name. */
  private final Map<String, InferenceException> failures = new TreeMap<>();

  /**
   * Finds providers: those of the program, then in each folder of jars, then on the class path. Of
   * providers with one name the first counts.
   *
   * @param plugins the settings under the empty name apply to all backends
   * @param own providers of the program
   */
  public BackendCatalog(PluginSettings plugins, List<BackendProvider> own) {
    this(plugins, own, MAX_STOP);
  }

  /**
   * As the other.
   *
   * @param maxStop the longest that {@link #cancelLoads} and {@link #close} wait for one backend
   */
  public BackendCatalog(PluginSettings plugins, List<BackendProvider> own, Duration maxStop) {
    this.directory = plugins.directory();
    this.options = plugins.settings();
    this.open = new OpenBackends(maxStop);
    this.ofProgram =
        own.stream().map(BackendProvider::name).collect(Collectors.toUnmodifiableSet());
    own.forEach(provider -> add(provider, "the program"));
    new ProviderSearch<>(BackendProvider.class, KIND, this::add, this::fail).run(directory);
    warnOfMistakes();
  }

  /** Warns of options for backends that were not found, and of a search that found none. */
  private void warnOfMistakes() {
    Set<String> found = new TreeSet<>(providers.keySet());
    synchronized (this) {
      found.addAll(failures.keySet());
    }
    Set<String> unknown = new TreeSet<>(options.keySet());
    unknown.removeAll(found);
    unknown.remove(""); // those for all backends
    if (found.isEmpty()) {
      LOG.log(
          Level.WARNING,
          "no backend was found: {0} {1}",
          directory,
          Files.isDirectory(directory) ? "has no folder of jars of one" : "is no directory");
    }
    if (!unknown.isEmpty()) {
      LOG.log(
          Level.WARNING,
          "there are options for backends {0}, which were not found; found are {1}",
          unknown,
          found);
    }
  }

  /** The names of all backends found. */
  public List<String> names() {
    return List.copyOf(providers.keySet());
  }

  /** The metrics of the backends' own. */
  public List<MetricFamily> metrics() {
    return metrics.families();
  }

  /** The packages of the providers, which the names of their authors' loggers begin with. */
  public Set<String> packages() {
    return providers.values().stream()
        .map(provider -> provider.getClass().getPackageName())
        .filter(name -> !name.isEmpty())
        .collect(Collectors.toSet());
  }

  /**
   * Returns the backend of that name or alias, and opens it at the first call. Its methods, and
   * those of its models, throw nothing but {@link InferenceException}, and return null where they
   * may only.
   *
   * @throws InferenceException INVALID_ARGUMENT if there is none, or the reason why it does not
   *     work; CANCELLED if the thread is interrupted while another one opens it
   */
  public Backend open(String name) {
    return opened(nameOf(name));
  }

  private String nameOf(String nameOrAlias) {
    return providers.containsKey(nameOrAlias)
        ? nameOrAlias
        : aliases.getOrDefault(nameOrAlias, nameOrAlias);
  }

  private GuardedBackend opened(String name) {
    BackendProvider provider;
    synchronized (this) {
      InferenceException failure = failures.get(name);
      if (failure != null) {
        throw failure;
      }
      provider = providers.get(name);
      if (provider == null) {
        throw InferenceException.invalid(
            ("unable to find backend library for backend '%s', try specifying runtime on the model"
                    + " configuration. Backends found: %s")
                .formatted(name, providers.keySet()));
      }
    }
    return open.get(name, () -> open(name, provider));
  }

  private GuardedBackend open(String name, BackendProvider provider) {
    ClassLoader loader = provider.getClass().getClassLoader();
    ServerContext context = context(name, provider);
    Backend backend;
    try (var _ = new PluginContext(loader)) {
      backend = provider.open(context);
    } catch (Throwable failed) { // also an Error, such as of a library that does not link
      throw fail(name, failed);
    }
    if (backend == null) {
      throw fail(
          name,
          InferenceException.unavailable(
              "backend '%s' cannot be loaded: BackendProvider.open has returned null"
                  .formatted(name)));
    }
    context.warnOfUnread(options.getOrDefault(name, Map.of()).keySet());
    return new GuardedBackend(
        name, backend, new BackendCalls(name, backend.getClass().getClassLoader()), metrics);
  }

  /**
   * The method of a backend in which a call for a model is at present, such as {@code
   * Backend.load}; empty if there is none.
   */
  public Optional<String> running(String backend, String model) {
    return open.running(nameOf(backend), model);
  }

  /**
   * Opens memory of a GPU that a client has allocated, by the first backend, by name, that opens
   * such memory and can be opened.
   *
   * @param handle a {@code cudaIpcMemHandle_t}
   * @return owned by the caller; empty if no backend can
   * @throws InferenceException as {@link Backend#openSharedMemory} does; UNAVAILABLE if that takes
   *     more than ten seconds
   */
  public Optional<SharedDeviceMemory> openSharedMemory(int gpu, byte[] handle, long byteSize) {
    try {
      return BoundedCall.run(
          "shared device memory",
          MAX_OPEN_MEMORY,
          () -> sharingDeviceMemory().map(opener -> opener.openSharedMemory(gpu, handle, byteSize)),
          late -> late.ifPresent(SharedDeviceMemory::close));
    } catch (ExecutionException failed) {
      throw InferenceException.of(failed)
          .orElseGet(() ->
              InferenceException.unexpected(Objects.requireNonNullElse(failed.getCause(), failed)));
    } catch (TimeoutException late) {
      throw InferenceException.unavailable(
          "no backend has opened the memory within %d s".formatted(MAX_OPEN_MEMORY.toSeconds()));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw InferenceException.cancelled();
    }
  }

  private Optional<GuardedBackend> sharingDeviceMemory() {
    for (Map.Entry<String, BackendProvider> each : providers.entrySet()) {
      try {
        if (each.getValue().sharesDeviceMemory()) {
          return Optional.of(opened(each.getKey()));
        }
      } catch (InferenceException unavailable) {
        LOG.log(
            Level.DEBUG,
            "backend ''{0}'' opens no memory of GPUs: {1}",
            each.getKey(),
            unavailable.getMessage());
      } catch (Throwable thrown) { // also an Error: another backend may have an answer
        LOG.log(
            Level.ERROR,
            "BackendProvider.sharesDeviceMemory of backend '%s' failed".formatted(each.getKey()),
            thrown);
      }
    }
    return Optional.empty();
  }

  /** Checks what lies in the directory of backends and is none. */
  public List<Check> checkDirectory() {
    return ProviderSearch.jarsBeside(directory).stream()
        .map(jar ->
            Check.warning(
                jar.toString(),
                ProviderSearch.beside(KIND, directory),
                "move it, with the jars that it needs, to %s/<name of the backend>"
                    .formatted(directory)))
        .toList();
  }

  /**
   * Checks what each backend needs of this machine, by name. A backend that cannot be loaded, or
   * cannot check, is a problem; one that does not return within a minute, as where a driver hangs,
   * is unavailable.
   */
  public Map<String, List<Check>> check() {
    return check(MAX_CHECK);
  }

  Map<String, List<Check>> check(Duration maxWait) {
    Map<String, List<Check>> checks = new TreeMap<>();
    synchronized (this) {
      failures.forEach(
          (name, failure) -> checks.put(name, BackendCheck.broken(failure.getMessage())));
    }
    providers.forEach((name, provider) ->
        checks.put(name, BackendCheck.run(provider, context(name, provider), maxWait)));
    return checks;
  }

  private ServerContext context(String name, BackendProvider provider) {
    var merged = new LinkedHashMap<>(options.getOrDefault("", Map.of()));
    merged.putAll(options.getOrDefault(name, Map.of()));
    return ServerContext.of(name, merged, ProviderSearch.folder(provider), metrics);
  }

  /** Logs a failure, and keeps it for {@link #open}. */
  private InferenceException fail(String name, Throwable cause) {
    InferenceException failure =
        cause instanceof InferenceException known
            ? known
            : new InferenceException(
                StatusCode.UNAVAILABLE,
                "backend '%s' cannot be loaded: %s".formatted(name, BackendCalls.reason(cause)),
                cause);
    LOG.log(Level.ERROR, "backend ''{0}'' is unavailable: {1}", name, failure.getMessage());
    synchronized (this) {
      failures.put(name, failure);
    }
    return failure;
  }

  private void add(BackendProvider provider, String where) {
    String name = required(provider, "name", provider.name());
    List<String> others = required(provider, "aliases", provider.aliases());
    if (providers.putIfAbsent(name, provider) == null) {
      others.forEach(alias -> aliases.putIfAbsent(alias, name));
    } else {
      LOG.log(
          ofProgram.contains(name) ? Level.DEBUG : Level.WARNING,
          "backend ''{0}'' of {1} is ignored: there is one of that name already",
          name,
          where);
    }
  }

  private static <T> T required(BackendProvider provider, String method, @Nullable T value) {
    if (value == null) {
      throw InferenceException.unavailable(
          "BackendProvider.%s of %s has returned null"
              .formatted(method, provider.getClass().getName()));
    }
    return value;
  }

  /** Has the open backends cancel what takes long to load, since the server stops. */
  public void cancelLoads() {
    open.cancelLoads();
  }

  /**
   * Closes the open backends, the last one first. Called once their models are closed. A backend
   * with a call that has not returned stays open, since that may use it.
   */
  @Override
  public void close() {
    open.close();
  }
}
