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
import io.nereid.server.scheduling.ensemble.ComposingModels;
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
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The models of all repositories, from loading to closing: the only writer of the {@link
 * ModelRegistry}. Versions load on several platform threads, since loading blocks in native code;
 * the calling thread writes their states to the registry.
 */
public final class ModelManager implements ModelControl, AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ModelManager.class.getName());

  /**
   * The components and limits that all models share.
   *
   * @param composingModels accepts the requests of ensemble steps
   * @param pool memory for inputs and outputs, unless a model allocates its inputs itself
   * @param maxPoolByteSize the limit of the pool of a model that does
   * @param queueCapacity the number of requests that may wait for a model; a power of two
   * @param clock the time of requests
   * @param journal receives the decisions of all schedulers
   * @param limiter shared by the instances of all models
   * @param metrics which latencies are recorded beside their sums
   */
  public record Settings(
      ComposingModels composingModels,
      BackendCatalog backends,
      BufferPool pool,
      long maxPoolByteSize,
      int queueCapacity,
      Clock clock,
      DecisionJournal journal,
      RateLimiter limiter,
      LatencyMetrics metrics) {}

  private final List<Path> repositories;
  private final int loadThreads;
  private final ModelRegistry registry;
  private final ModelConfigReader reader = new ModelConfigReader(Optional.empty(), true);
  private final ModelLoader loader;
  private final EnsembleLoader ensembleLoader;

  /** All ensembles, each after the ensembles that it is composed of. */
  private List<String> ensembles = List.of();

  /**
   * @param repositories directories of model directories
   * @param loadThreads how many versions load concurrently
   */
  public ModelManager(
      List<Path> repositories, int loadThreads, ModelRegistry registry, Settings settings) {
    this.repositories = List.copyOf(repositories);
    this.loadThreads = loadThreads;
    this.registry = registry;
    var completion = new ModelConfigCompletion(true, List.of());
    this.loader = new ModelLoader(settings, completion);
    this.ensembleLoader = new EnsembleLoader(settings, completion, registry);
  }

  /**
   * Loads every model of every repository.
   *
   * @return whether all of them are ready
   * @throws InferenceException if a repository cannot be read
   */
  public boolean loadAll() {
    Map<String, List<ModelDirectory>> found = new TreeMap<>();
    for (Path repository : repositories) {
      for (ModelDirectory directory : directories(repository)) {
        found.computeIfAbsent(directory.name(), _ -> new ArrayList<>()).add(directory);
      }
    }
    boolean allReady = true;
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
        } catch (InferenceException failure) {
          fail(model.getKey(), failure);
          allReady = false;
        }
      }
      for (var model : loading.entrySet()) {
        allReady &= finishLoading(model.getKey(), model.getValue());
      }
    }
    boolean ensemblesReady = loadEnsembles(polledEnsembles);
    return allReady && ensemblesReady;
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
    registry.put(polled.name(), new ModelRegistry.Entry(states));
    return loading;
  }

  /** Loads ensembles, each after those that it is composed of, once all other models are loaded. */
  private boolean loadEnsembles(Map<String, PolledModel> polled) {
    Map<String, List<String>> composing = new TreeMap<>();
    polled.forEach((name, ensemble) -> composing.put(name, ensemble.composing()));
    var order = new EnsembleOrder(composing);
    ensembles = order.names();
    Map<String, InferenceException> unavailable = new HashMap<>();
    for (String name : ensembles) {
      try {
        order.requireNotCircular(name);
        loadEnsemble(Objects.requireNonNull(polled.get(name)), unavailable);
      } catch (InferenceException failure) {
        unavailable.put(name, failure);
        fail(name, failure);
      } catch (RuntimeException bug) {
        LOG.log(Level.ERROR, "unexpected failure", bug);
        InferenceException failure = InferenceException.internal(bug.toString());
        unavailable.put(name, failure);
        fail(name, failure);
      }
    }
    return unavailable.isEmpty();
  }

  private void loadEnsemble(PolledModel polled, Map<String, InferenceException> unavailable) {
    Map<Long, ModelState> states = new TreeMap<>();
    for (long version : polled.versions()) {
      states.put(version, new ModelState.Ready(ensembleLoader.load(polled, version, unavailable)));
      LOG.log(
          Level.INFO,
          "ensemble ''{0}'' version {1} is ready",
          polled.name(),
          Long.toString(version));
    }
    registry.put(polled.name(), new ModelRegistry.Entry(states));
  }

  private boolean finishLoading(String name, Map<Long, Future<LoadedModel>> loading) {
    boolean allReady = true;
    Map<Long, ModelState> states = new TreeMap<>();
    for (var version : loading.entrySet()) {
      ModelState state = await(name, version.getKey(), version.getValue());
      states.put(version.getKey(), state);
      allReady &= state instanceof ModelState.Ready;
    }
    registry.put(name, new ModelRegistry.Entry(states));
    return allReady;
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
        LOG.log(Level.ERROR, "unexpected failure", failed.getCause());
      }
      return new ModelState.Unavailable(reason);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return new ModelState.Unavailable("Unavailable: interrupted while loading");
    }
  }

  private void fail(String name, InferenceException failure) {
    LOG.log(Level.ERROR, "model ''{0}'' failed to load: {1}", name, failure.reason());
    registry.put(name, new ModelRegistry.Entry(failure.reason()));
  }

  /** The model directories of a repository by name, without files and hidden directories. */
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

  @Override
  public List<ModelIndexEntry> index(boolean readyOnly) {
    List<ModelIndexEntry> rows = new ArrayList<>();
    new TreeMap<>(registry.snapshot())
        .forEach((name, entry) ->
            entry
                .versions()
                .forEach((version, state) -> {
                  if (!readyOnly || state instanceof ModelState.Ready) {
                    rows.add(row(name, version, state));
                  }
                }));
    return rows;
  }

  private static ModelIndexEntry row(String name, long version, ModelState state) {
    var number = OptionalLong.of(version);
    return switch (state) {
      case ModelState.Loading() ->
          new ModelIndexEntry(name, number, Optional.of(ModelIndexEntry.State.LOADING), "");
      case ModelState.Ready _ ->
          new ModelIndexEntry(name, number, Optional.of(ModelIndexEntry.State.READY), "");
      case ModelState.Unavailable(String reason) ->
          new ModelIndexEntry(name, number, Optional.of(ModelIndexEntry.State.UNAVAILABLE), reason);
    };
  }

  @Override
  public void load(String model, LoadParameters parameters) {
    throw notExplicit();
  }

  @Override
  public void unload(String model, boolean unloadDependents) {
    throw notExplicit();
  }

  /** Models are loaded at the start only, and Triton's text for that mode names another one. */
  private static InferenceException notExplicit() {
    return InferenceException.unavailable(
        "explicit model load / unload is not allowed if polling is enabled");
  }

  /**
   * Stops the admission of new requests. Admitted requests and live sequences finish.
   *
   * @return completed when no sequence is live
   */
  public CompletableFuture<?> stop() {
    return CompletableFuture.allOf(
        registry.ready().stream()
            .map(model -> model.scheduler().stop())
            .toArray(CompletableFuture<?>[]::new));
  }

  /** Closes every model after its last request, ensembles before the models that they use. */
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
