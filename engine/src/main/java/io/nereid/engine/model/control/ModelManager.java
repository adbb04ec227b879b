package io.nereid.engine.model.control;

import io.nereid.engine.model.ClientText;
import io.nereid.engine.model.ModelId;
import io.nereid.engine.model.ModelRegistry;
import io.nereid.engine.model.config.ModelConfigCompletion;
import io.nereid.engine.model.config.ModelConfigReader;
import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.engine.model.control.operation.BackendThreads;
import io.nereid.engine.model.control.operation.LifeCycleTelemetry;
import io.nereid.engine.model.control.operation.LoadOperation;
import io.nereid.engine.model.control.operation.ModelOperations;
import io.nereid.engine.model.control.operation.RepositoryScan;
import io.nereid.engine.model.loading.EnsembleLoader;
import io.nereid.engine.model.loading.LoaderSettings;
import io.nereid.engine.model.loading.ModelGraph;
import io.nereid.engine.model.loading.ModelLoader;
import io.nereid.engine.model.repository.ModelRepository;
import io.nereid.engine.telemetry.statistics.LifeCycleSnapshot;
import io.nereid.error.InferenceException;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

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
  static final int MAX_ATTEMPTS = 3;

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
    this.scan =
        new RepositoryScan(
            repositories, new ModelConfigReader(control.configs()), control.namespacing());
    this.index = new ModelIndex(scan, registry);
    var completion = new ModelConfigCompletion(control.configs());
    var loaders =
        new LoadOperation.Loaders(
            registry,
            scan,
            new ModelLoader(settings, registry, completion, loads.retries()),
            new EnsembleLoader(settings, completion),
            telemetry,
            loadThreads,
            closeThreads);
    this.operations = new ModelOperations(loaders, operationThreads);
    this.clientLoads = new ClientLoads(loaders, operations);
    this.watch = new RepositoryWatch(scan, operations, this::recordUnreadable);
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
      clientLoads.deleteLeft();
    }
    boolean all = !isExplicit() || startup.contains(ALL);
    Set<String> names = all ? scan.names().keySet() : Set.copyOf(startup);
    if (all && names.isEmpty()) {
      LOG.log(
          Level.WARNING,
          "no directory of a model, such as <name>/1/model.onnx, is in {0}; --model-name serves a"
              + " model file without one",
          scan.repositories().stream().map(ModelRepository::location).toList());
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
    clientLoads.load(model, parameters);
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
    clientLoads.refuse();
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
    clientLoads.close();
  }
}
