package io.nereid.server.model;

import io.nereid.error.InferenceException;
import io.nereid.server.backend.BackendCatalog;
import io.nereid.server.execution.ratelimit.RateLimiter;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.model.config.ModelConfigCompletion;
import io.nereid.server.model.config.ModelConfigReader;
import io.nereid.server.model.config.ModelDirectory;
import io.nereid.server.protobuf.ModelConfig;
import io.nereid.server.scheduling.Clock;
import io.nereid.server.scheduling.DecisionJournal;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Loads the models of the repositories and closes them again: the only writer of the {@link
 * ModelRegistry}. Versions load on a few platform threads at once, since loading blocks in native
 * code; what has become of them is written by the caller's.
 */
public final class ModelManager implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ModelManager.class.getName());

  private final List<Path> repositories;
  private final ModelRegistry registry;
  private final ModelConfigReader reader;
  private final ModelLoader loader;
  private final EnsembleLoader ensembleLoader;
  private final int loadThreads;

  /** All ensembles, each behind those that it is composed of. */
  private List<String> ensembles = List.of();

  /**
   * @param repositories directories of model directories
   * @param loadThreads how many versions load at once
   * @param maxPoolByteSize see {@link ModelLoader}
   * @param queueCapacity see {@link ModelLoader}
   * @param clock by which requests wait
   * @param journal where decisions of schedulers are written down
   * @param limiter whose turns the instances of all models take
   * @param metrics what is kept of requests beside counts and sums
   */
  public ModelManager(
      List<Path> repositories,
      ModelRegistry registry,
      BackendCatalog backends,
      BufferPool pool,
      int loadThreads,
      long maxPoolByteSize,
      int queueCapacity,
      Clock clock,
      DecisionJournal journal,
      RateLimiter limiter,
      LatencyMetrics metrics) {
    this.repositories = List.copyOf(repositories);
    this.registry = registry;
    this.reader = new ModelConfigReader(Optional.empty(), true);
    var completion = new ModelConfigCompletion(true, List.of());
    this.loader =
        new ModelLoader(
            backends,
            completion,
            pool,
            maxPoolByteSize,
            queueCapacity,
            clock,
            journal,
            limiter,
            metrics);
    this.ensembleLoader = new EnsembleLoader(completion, registry, pool, clock, metrics);
    this.loadThreads = loadThreads;
  }

  /**
   * Loads every model of every repository.
   *
   * @return whether all of them serve
   * @throws InferenceException if a repository cannot be read
   */
  public boolean loadAll() {
    Map<String, List<ModelDirectory>> found = new TreeMap<>();
    for (Path repository : repositories) {
      for (ModelDirectory directory : directories(repository)) {
        found.computeIfAbsent(directory.name(), _ -> new ArrayList<>()).add(directory);
      }
    }
    boolean allServe = true;
    Map<String, PolledModel> polledEnsembles = new TreeMap<>();
    try (ExecutorService threads =
        Executors.newFixedThreadPool(
            loadThreads, Thread.ofPlatform().name("model loader ", 0).factory())) {
      Map<String, Map<Long, Future<LoadedModel>>> loading = new TreeMap<>();
      for (var model : found.entrySet()) {
        try {
          PolledModel polled = poll(model.getValue());
          if (polled.isEnsemble()) {
            polledEnsembles.put(polled.name(), polled);
          } else {
            loading.put(polled.name(), startLoading(polled, threads));
          }
        } catch (InferenceException refused) {
          fail(model.getKey(), refused);
          allServe = false;
        }
      }
      for (var model : loading.entrySet()) {
        allServe &= finishLoading(model.getKey(), model.getValue());
      }
    }
    boolean ensemblesServe = loadEnsembles(polledEnsembles);
    return allServe && ensemblesServe;
  }

  private PolledModel poll(List<ModelDirectory> directories) {
    if (directories.size() > 1) {
      throw InferenceException.unavailable("model appears in two or more repositories");
    }
    ModelDirectory directory = directories.getFirst();
    ModelConfig polled = reader.read(directory);
    List<Long> versions =
        VersionSelector.select(directory.name(), polled.getVersionPolicy(), directory.versions());
    return new PolledModel(directory, polled, versions);
  }

  private Map<Long, Future<LoadedModel>> startLoading(PolledModel polled, ExecutorService threads) {
    Map<Long, Future<LoadedModel>> loading = new TreeMap<>();
    Map<Long, ModelState> states = new TreeMap<>();
    for (long version : polled.versions()) {
      loading.put(
          version, threads.submit(() -> loader.load(polled.directory(), polled.config(), version)));
      states.put(version, new ModelState.Loading());
    }
    registry.put(polled.name(), new ModelRegistry.Entry(ModelRegistry.versions(states), ""));
    return loading;
  }

  /** Loads ensembles, each behind those that it is composed of; all other models are loaded. */
  private boolean loadEnsembles(Map<String, PolledModel> polled) {
    Map<String, List<String>> composing = new TreeMap<>();
    polled.forEach((name, ensemble) -> composing.put(name, ensemble.composing()));
    var order = new EnsembleOrder(composing);
    ensembles = order.names();
    Map<String, InferenceException> refused = new HashMap<>();
    for (String name : ensembles) {
      try {
        order.requireNoCircle(name);
        loadEnsemble(Objects.requireNonNull(polled.get(name)), refused);
      } catch (InferenceException refusal) {
        refused.put(name, refusal);
        fail(name, refusal);
      } catch (RuntimeException bug) {
        LOG.log(Level.ERROR, "a bug, not a bad model", bug);
        InferenceException refusal = InferenceException.internal(bug.toString());
        refused.put(name, refusal);
        fail(name, refusal);
      }
    }
    return refused.isEmpty();
  }

  private void loadEnsemble(PolledModel polled, Map<String, InferenceException> refused) {
    Map<Long, ModelState> states = new TreeMap<>();
    for (long version : polled.versions()) {
      states.put(version, new ModelState.Ready(ensembleLoader.load(polled, version, refused)));
      LOG.log(
          Level.INFO,
          "ensemble ''{0}'' version {1} is ready",
          polled.name(),
          Long.toString(version));
    }
    registry.put(polled.name(), new ModelRegistry.Entry(ModelRegistry.versions(states), ""));
  }

  private boolean finishLoading(String name, Map<Long, Future<LoadedModel>> loading) {
    boolean allServe = true;
    Map<Long, ModelState> states = new TreeMap<>();
    for (var version : loading.entrySet()) {
      ModelState state = await(name, version.getKey(), version.getValue());
      states.put(version.getKey(), state);
      allServe &= state instanceof ModelState.Ready;
    }
    registry.put(name, new ModelRegistry.Entry(ModelRegistry.versions(states), ""));
    return allServe;
  }

  private static ModelState await(String name, long version, Future<LoadedModel> loading) {
    try {
      LoadedModel model = loading.get();
      LOG.log(Level.INFO, "model ''{0}'' version {1} is ready", name, Long.toString(version));
      return new ModelState.Ready(model);
    } catch (ExecutionException failed) {
      String reason =
          failed.getCause() instanceof InferenceException known
              ? known.reason()
              : "Internal: " + failed.getCause();
      LOG.log(
          Level.ERROR,
          "model ''{0}'' version {1} failed to load: {2}",
          name,
          Long.toString(version),
          reason);
      if (!(failed.getCause() instanceof InferenceException)) {
        LOG.log(Level.ERROR, "a bug, not a bad model", failed.getCause());
      }
      return new ModelState.Unavailable(reason);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return new ModelState.Unavailable("Unavailable: interrupted while loading");
    }
  }

  private void fail(String name, InferenceException refused) {
    LOG.log(Level.ERROR, "model ''{0}'' failed to load: {1}", name, refused.reason());
    registry.put(name, new ModelRegistry.Entry(ModelRegistry.versions(Map.of()), refused.reason()));
  }

  /** The model directories of a repository by name; hidden ones and files are none. */
  private static List<ModelDirectory> directories(Path repository) {
    try (var entries = Files.list(repository)) {
      return entries
          .filter(entry -> Files.isDirectory(entry))
          .filter(entry -> !entry.getFileName().toString().startsWith("."))
          .sorted()
          .map(ModelDirectory::new)
          .toList();
    } catch (IOException unreadable) {
      throw InferenceException.invalid(
          "cannot read model repository '%s': %s".formatted(repository, unreadable));
    }
  }

  /**
   * Has every model refuse new work, and finish what it has taken on.
   *
   * @return completed once no client has a sequence to go on with
   */
  public CompletableFuture<?> stop() {
    return CompletableFuture.allOf(
        registry.ready().stream()
            .map(model -> model.scheduler().stop())
            .toArray(CompletableFuture<?>[]::new));
  }

  /** Closes every model, each after the requests inside it; ensembles before their models. */
  @Override
  public void close() {
    ensembles.reversed().forEach(this::close);
    registry.snapshot().keySet().forEach(this::close);
  }

  private void close(String model) {
    ModelRegistry.Entry entry = registry.snapshot().get(model);
    registry.put(model, null);
    if (entry != null) {
      entry.ready().forEach(LoadedModel::close);
    }
  }
}
