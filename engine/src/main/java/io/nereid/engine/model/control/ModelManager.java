package io.nereid.engine.model.control;

import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.model.ClientText;
import io.nereid.engine.model.ModelId;
import io.nereid.engine.model.ModelRegistry;
import io.nereid.engine.model.config.ModelConfigCompletion;
import io.nereid.engine.model.config.ModelConfigReader;
import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.engine.model.control.operation.BackendThreads;
import io.nereid.engine.model.control.operation.LifeCycleTelemetry;
import io.nereid.engine.model.control.operation.LoadFailure;
import io.nereid.engine.model.control.operation.LoadOperation;
import io.nereid.engine.model.control.operation.ModelOperations;
import io.nereid.engine.model.control.operation.RepositoryScan;
import io.nereid.engine.model.control.operation.RepositoryScan.Result;
import io.nereid.engine.model.loading.EnsembleLoader;
import io.nereid.engine.model.loading.LoaderSettings;
import io.nereid.engine.model.loading.ModelGraph;
import io.nereid.engine.model.loading.ModelLoader;
import io.nereid.engine.model.loading.PolledModel;
import io.nereid.engine.model.repository.ModelRepository;
import io.nereid.engine.model.repository.OverrideDirectories;
import io.nereid.engine.model.repository.OverrideDirectory;
import io.nereid.engine.telemetry.statistics.LifeCycleSnapshot;
import io.nereid.error.InferenceException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The models of all repositories, from loading to closing: the only writer of the {@link
 * ModelRegistry}. Clients, polls of the repositories and the start of the server load and unload by
 * the same {@link ModelOperations}. Thread-safe, except for {@link #loadAll}, {@link #poll} and
 * {@link #close}.
 */
public final class ModelManager implements ModelControl, AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ModelManager.class.getName());

  /** The start-up model that stands for all. */
  private static final String ALL = "*";

  /** How often a model is polled again because files were changed while it was loading. */
  private static final int MAX_ATTEMPTS = 3;

  private final ControlSettings control;
  private final ModelRegistry registry;
  private final RepositoryScan scan;
  private final ModelOperations operations;
  private final ModelIndex index;
  private final RepositoryWatch watch;
  private final LifeCycleTelemetry telemetry = new LifeCycleTelemetry();
  private final BackendThreads loadThreads;
  private final BackendThreads closeThreads;
  private final ClientLoads clientLoads;

  /** Each waits for threads of loaders; so none of them waits for another operation. */
  private final ExecutorService operationThreads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("model operation ", 0).factory());

  private final OverrideDirectories overrides =
      new OverrideDirectories(Path.of(System.getProperty("java.io.tmpdir")));
  private String startFailures = "";
  private volatile boolean stopping;

  /**
   * @param repositories the model repositories, at least one
   */
  public ModelManager(
      List<ModelRepository> repositories,
      ControlSettings control,
      ModelRegistry registry,
      LoaderSettings settings) {
    this.control = control;
    this.registry = registry;
    ControlSettings.Loads loads = control.loads();
    this.loadThreads =
        new BackendThreads("model loader ", loads.threads(), loads.limits(), settings.clock());
    this.closeThreads =
        new BackendThreads("model close ", Integer.MAX_VALUE, loads.limits(), settings.clock());
    this.clientLoads = new ClientLoads(loadThreads.share());
    this.scan =
        new RepositoryScan(
            repositories, new ModelConfigReader(control.configs()), control.namespacing());
    this.index = new ModelIndex(scan, registry);
    var completion = new ModelConfigCompletion(control.configs());
    this.operations =
        new ModelOperations(
            new LoadOperation.Loaders(
                registry,
                scan,
                new ModelLoader(settings, registry, completion, loads.retries()),
                new EnsembleLoader(settings, completion),
                telemetry,
                loadThreads,
                closeThreads),
            operationThreads);
    this.watch = new RepositoryWatch(repositories, scan, operations, this::recordUnreadable);
  }

  /**
   * Loads the models that serve from the start.
   *
   * @return whether all of them are ready; if not, {@link #startFailures} says why
   * @throws InferenceException if a repository cannot be read, or the start-up models are invalid
   */
  public boolean loadAll() {
    List<String> startup = control.startupModels();
    if (startup.contains(ALL) && startup.size() > 1) {
      throw InferenceException.invalid(
          "Wildcard model name '*' must be the ONLY startup model if specified at all.");
    }
    if (control.mode() == ControlMode.POLL) {
      watch.begin();
    }
    if (isExplicit()) {
      overrides.deleteLeft();
    }
    boolean all = !isExplicit() || startup.contains(ALL);
    Set<String> names = all ? scan.names().keySet() : Set.copyOf(startup);
    if (all && names.isEmpty()) {
      LOG.log(
          Level.WARNING,
          "no repository has the directory of a model; --model-name serves a model file without"
              + " one");
    }
    boolean complete = loadAtStart(names);
    registry.started();
    if (control.mode() == ControlMode.POLL) {
      watch.start(control.pollInterval());
    }
    return complete;
  }

  private boolean loadAtStart(Set<String> names) {
    if (names.isEmpty()) {
      return true;
    }
    ModelOperations.Report report =
        operations.load(names, scan::read, isExplicit(), Optional.empty());
    for (int attempt = 2; attempt <= MAX_ATTEMPTS && report.filesChanged(); attempt++) {
      report = operations.load(names, scan::read, isExplicit(), Optional.empty());
    }
    report.unreadable().forEach(this::recordUnreadable);
    watch.began(report);
    SortedMap<String, String> reasons = new TreeMap<>();
    report
        .unreadable()
        .forEach((id, failure) -> reasons.put(id.name(), String.valueOf(failure.getMessage())));
    report.failures().forEach((id, failure) -> reasons.put(id.name(), failure.text()));
    for (String name : names) {
      if (report.found().stream().noneMatch(id -> id.name().equals(name))) {
        String reason =
            "model not found in any model repository"
                + new ModelGraph(scan.ids(), List.of()).nearest(name);
        LOG.log(Level.ERROR, "failed to load ''{0}'': {1}", name, reason);
        reasons.put(name, reason);
      }
    }
    startFailures = reasons.isEmpty() ? "" : StartFailures.sentence(names, reasons);
    return reasons.isEmpty();
  }

  /**
   * Which models that were to serve from the start do not, and why: one line of limited length;
   * empty if all of them do. Of the thread that calls {@link #loadAll}.
   */
  public String startFailures() {
    return startFailures;
  }

  /** Records why a model that is not asked for by a client cannot be loaded. */
  private void recordUnreadable(ModelId id, InferenceException failure) {
    telemetry.notLoaded(id, failure.reason());
    registry.update(id, entry -> entry.notLoaded(failure.reason()));
  }

  private boolean isExplicit() {
    return control.mode() == ControlMode.EXPLICIT;
  }

  @Override
  public List<ModelIndexEntry> index(boolean readyOnly) {
    requireServing();
    try {
      return index.rows(readyOnly);
    } catch (InferenceException unreadable) {
      LOG.log(Level.ERROR, "no repository index: {0}", unreadable.getMessage());
      throw ClientText.of("", unreadable);
    }
  }

  @Override
  public List<ModelIndexEntry> known() {
    return index.known();
  }

  /** The states of all versions, and counts of loads and unloads. */
  public LifeCycleSnapshot lifeCycle() {
    return telemetry.snapshot(registry.snapshot());
  }

  @Override
  public void requireLoadable(String model) {
    requireUnloadable();
    ModelDirectory.checkedName(model);
  }

  @Override
  public void load(String model, LoadParameters parameters) {
    requireLoadable(model);
    if (parameters.client().isEmpty()) {
      loadUntilUnchanged(model, parameters);
      return;
    }
    ClientKey client = parameters.client().get();
    try (var _ = clientLoads.acquire(client)) {
      loadThreads.requirePlace(client);
      loadUntilUnchanged(model, parameters);
    }
  }

  private void loadUntilUnchanged(String model, LoadParameters parameters) {
    for (int attempt = 1; ; attempt++) {
      LoadFailure failure = loadOnce(model, parameters);
      if (failure == null) {
        return;
      }
      if (!failure.filesChanged() || attempt == MAX_ATTEMPTS) {
        throw ClientText.of(model, failure.response(model));
      }
    }
  }

  /** Loads a model once; null if it serves as wanted. */
  private @Nullable LoadFailure loadOnce(String model, LoadParameters parameters) {
    Function<String, Map<ModelId, Result>> poll = scan::read;
    Optional<OverrideDirectory> files = Optional.empty();
    if (parameters.config().isPresent()) {
      files = files(model, parameters);
      poll = overriding(model, parameters.config().get(), files);
    } else if (!parameters.files().isEmpty()) {
      throw failedToPoll(
          model, "Load parameter 'config' must be specified for model file override");
    }
    ModelOperations.Report report;
    try {
      report = operations.load(Set.of(model), poll, true, parameters.client());
    } catch (RuntimeException | Error rejected) {
      files.ifPresent(OverrideDirectory::close);
      InferenceException failure = LoadFailure.known(rejected);
      if (rejected instanceof InferenceException || LoadFailure.isOfMemory(failure)) {
        LOG.log(Level.ERROR, "failed to load ''{0}'': {1}", model, failure.getMessage());
        throw ClientText.of(model, failure);
      }
      throw rejected;
    }
    for (var unreadable : report.unreadable().entrySet()) {
      if (unreadable.getKey().name().equals(model)) {
        files.ifPresent(OverrideDirectory::close);
        InferenceException failure = unreadable.getValue();
        if (parameters.config().isEmpty()) {
          registry.update(unreadable.getKey(), entry -> entry.notLoaded(failure.reason()));
        }
        throw failedToPoll(model, failure.getMessage());
      }
    }
    if (report.found().stream().noneMatch(id -> id.name().equals(model))) {
      throw failedToPoll(model, "no repository contains it");
    }
    return report.failures().entrySet().stream()
        .filter(failure -> failure.getKey().name().equals(model))
        .findFirst()
        .map(Map.Entry::getValue)
        .orElse(null);
  }

  private Optional<OverrideDirectory> files(String model, LoadParameters parameters) {
    if (parameters.files().isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(overrides.create(model, parameters.files()));
    } catch (InferenceException failure) {
      throw failedToPoll(model, failure.getMessage());
    }
  }

  /** Polls all models, and one of them with the configuration, and maybe the files, of a client. */
  private Function<String, Map<ModelId, Result>> overriding(
      String model, String config, Optional<OverrideDirectory> files) {
    return name -> {
      if (!name.equals(model)) {
        return scan.read(name);
      }
      try {
        PolledModel polled =
            files
                .map(directory -> scan.override(directory, config))
                .orElseGet(() -> scan.override(model, config));
        return Map.of(polled.id(), new Result.Found(polled));
      } catch (InferenceException failure) {
        return Map.of(scan.ids(model).getFirst(), new Result.Failed(failure));
      }
    };
  }

  private InferenceException failedToPoll(String model, @Nullable String reason) {
    telemetry.notLoaded(new ModelId("", model), String.valueOf(reason));
    return InferenceException.internal(
        "failed to load '%s', failed to poll from model repository: %s"
            .formatted(model, ClientText.of(model, String.valueOf(reason))));
  }

  @Override
  public void unload(String model, boolean unloadDependents) {
    requireUnloadable();
    operations.unload(Set.copyOf(scan.ids(model)), unloadDependents);
  }

  private void requireServing() {
    if (stopping) {
      throw InferenceException.unavailable("Server not ready");
    }
  }

  @Override
  public void requireUnloadable() {
    requireServing();
    if (!isExplicit()) {
      throw InferenceException.unavailable(
          ("explicit model load / unload is not allowed if polling is enabled: models are loaded by"
                  + " requests in the control mode 'explicit', and this is '%s'")
              .formatted(control.mode().name().toLowerCase(Locale.ROOT)));
    }
  }

  /** Polls the repositories once, and loads and unloads what has changed; in poll mode. */
  public void poll() {
    watch.poll();
  }

  /**
   * Stops the admission of new requests, and of loads and unloads. Admitted requests and live
   * sequences finish; a load that runs has five seconds.
   *
   * @return completed when no sequence is live
   */
  public CompletableFuture<?> stop() {
    stopping = true;
    watch.end();
    stopLoads();
    return operations.stop();
  }

  private void stopLoads() {
    clientLoads.close();
    loadThreads.refuse();
    loadThreads.shortenLimit();
  }

  /**
   * Closes every model after its last request, ensembles before the models that they use.
   * Operations that run end first; later ones are rejected. A backend that does not return from a
   * load or a close is waited for five seconds at most.
   */
  @Override
  public void close() {
    stopLoads();
    closeThreads.shortenLimit();
    watch.close();
    operations.close();
    operationThreads.close();
    overrides.close();
  }
}
