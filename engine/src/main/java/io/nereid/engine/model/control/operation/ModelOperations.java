package io.nereid.engine.model.control.operation;

import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.ModelId;
import io.nereid.engine.model.control.operation.LoadOperation.Loaders;
import io.nereid.engine.model.control.operation.RepositoryScan.Result.Failed;
import io.nereid.engine.model.control.operation.RepositoryScan.Result.Found;
import io.nereid.engine.model.control.operation.RepositoryScan.Result.Serving;
import io.nereid.engine.model.loading.ModelGraph;
import io.nereid.engine.model.loading.PolledModel;
import io.nereid.engine.model.loading.PolledModel.Origin;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The loads and unloads of a server. Those of related models (one that calls others, as an ensemble
 * does, and those of) follow one another; others run concurrently. What an operation replaces is
 * closed in the background, after its last request. Thread-safe.
 */
public final class ModelOperations {
  /**
   * What a load has done.
   *
   * @param unreadable the models that could not be polled
   * @param failures of the models that were polled
   * @param found the models that were polled, or could not be
   */
  public record Report(
      Map<ModelId, InferenceException> unreadable,
      Map<ModelId, LoadFailure> failures,
      Set<ModelId> found) {
    /** Whether a model has failed because its files were changed, and may not fail again. */
    public boolean filesChanged() {
      return failures.values().stream().anyMatch(LoadFailure::filesChanged);
    }

    /** The models that fail again unless their files change. */
    public Set<ModelId> failing() {
      Set<ModelId> failing = new TreeSet<>();
      unreadable.forEach((id, failure) -> {
        if (failure.code() == StatusCode.INVALID_ARGUMENT) { // and no store that has no answer now
          failing.add(id);
        }
      });
      failures.forEach((id, failure) -> {
        if (!failure.mayPass()) {
          failing.add(id);
        }
      });
      return failing;
    }
  }

  private final Loaders loaders;
  private final Executor threads;
  private final OperationLocks locks = new OperationLocks();
  private final ModelCloser closer;

  /** Changed by the operation that holds the lock of the model's name. */
  private final Map<ModelId, ManagedModel> managed = new ConcurrentHashMap<>();

  private final DirectoryUses directories;

  /** Whether versions that begin to serve reject requests. */
  private volatile boolean stopped;

  /**
   * @param threads run operations, which wait for the threads of the loaders
   */
  public ModelOperations(Loaders loaders, Executor threads) {
    this.loaders = loaders;
    this.threads = threads;
    this.closer = new ModelCloser(loaders.telemetry(), loaders.closers());
    this.directories = new DirectoryUses(managed::values, loaders.scan()::release);
  }

  /** The models that are to serve, loaded or not. */
  public Map<ModelId, ManagedModel> managed() {
    return Map.copyOf(managed);
  }

  /** Whether a version of a model failed to load. */
  public boolean hasFailures(ModelId model) {
    return loaders.registry().entry(model).hasFailedLoads();
  }

  /**
   * Loads models, and returns when that is done.
   *
   * @param poll reads the models of a name
   * @param withComposing whether to load also the models that they call; those count as loaded for
   *     their callers only
   * @param client that asks for it; empty if none does
   * @throws InferenceException UNAVAILABLE if the server exits
   */
  public Report load(
      Set<String> names,
      Function<String, Map<ModelId, RepositoryScan.Result>> poll,
      boolean withComposing,
      Optional<ClientKey> client) {
    Set<String> scope = related(names, List.of());
    while (true) {
      try (OperationLocks.Held held = locks.acquire(scope)) {
        Map<ModelId, RepositoryScan.Result> results = poll(names, poll, withComposing);
        List<PolledModel> found = found(results);
        scope = related(names, found);
        if (held.covers(scope)) {
          return load(names, results, found, client);
        }
        results.values().forEach(this::discard); // polled again
      }
    }
  }

  private Map<ModelId, RepositoryScan.Result> poll(
      Set<String> names,
      Function<String, Map<ModelId, RepositoryScan.Result>> poll,
      boolean withComposing) {
    Map<ModelId, RepositoryScan.Result> results = new TreeMap<>();
    Set<String> polled = new HashSet<>();
    Set<String> next = new TreeSet<>(names);
    while (!next.isEmpty()) {
      polled.addAll(next);
      for (String name : next) {
        poll.apply(name).forEach((id, result) -> results.put(id, inForce(result)));
      }
      next.clear();
      if (withComposing) {
        found(results).forEach(model -> next.addAll(model.calls()));
        next.removeAll(polled);
      }
    }
    return results;
  }

  /**
   * What serves, if the repository's files are those that it was loaded with: a configuration that
   * a client sent stays in force until a file changes.
   */
  private RepositoryScan.Result inForce(RepositoryScan.Result result) {
    if (result instanceof Found(PolledModel polled)) {
      ManagedModel known = managed.get(polled.id());
      PolledModel served = known == null ? null : known.served();
      if (served != null
          && loaders.registry().entry(polled.id()).isReady()
          && ModelChange.between(served, polled) instanceof ModelChange.None) {
        discard(result);
        return new Serving(served);
      }
    }
    return result;
  }

  /** Releases what was polled; what serves may be replaced and released by others at any time. */
  private void discard(RepositoryScan.Result result) {
    if (result instanceof Found(PolledModel polled)) {
      loaders.scan().discard(polled);
    }
  }

  private static List<PolledModel> found(Map<ModelId, RepositoryScan.Result> results) {
    return results.values().stream()
        .flatMap(result ->
            switch (result) {
              case Found(PolledModel model) -> Stream.of(model);
              case Serving(PolledModel model) -> Stream.of(model);
              case Failed _ -> Stream.empty();
            })
        .toList();
  }

  /** All names that have to do with one of these. */
  private Set<String> related(Set<String> names, List<PolledModel> found) {
    List<PolledModel> forms = new ArrayList<>(found);
    managed.values().forEach(model -> forms.addAll(model.forms()));
    Set<String> related = new TreeSet<>(names);
    names.forEach(name -> related.addAll(ModelGraph.related(name, forms)));
    return related;
  }

  private Report load(
      Set<String> names,
      Map<ModelId, RepositoryScan.Result> results,
      List<PolledModel> found,
      Optional<ClientKey> client) {
    Map<ModelId, InferenceException> unreadable = new TreeMap<>();
    results.forEach((id, result) -> {
      if (result instanceof Failed(InferenceException failure)) {
        unreadable.put(id, failure);
      }
    });
    Map<Set<String>, List<PolledModel>> groups =
        found.stream()
            .collect(
                Collectors.groupingBy(
                    model -> related(Set.of(model.name()), found),
                    LinkedHashMap::new,
                    Collectors.toList()));
    List<CompletableFuture<Map<ModelId, LoadFailure>>> running = new ArrayList<>();
    groups.forEach((scope, targets) ->
        running.add(
            CompletableFuture.supplyAsync(() -> load(names, targets, scope, client), threads)));
    CompletableFuture.allOf(running.toArray(CompletableFuture<?>[]::new))
        .handle((_, _) -> true) // all end before the locks are released, even if one has failed
        .join();
    Map<ModelId, LoadFailure> failures = new TreeMap<>();
    running.forEach(group -> failures.putAll(group.join()));
    return new Report(unreadable, failures, results.keySet());
  }

  private Map<ModelId, LoadFailure> load(
      Set<String> explicit,
      List<PolledModel> targets,
      Set<String> scope,
      Optional<ClientKey> client) {
    LoadOperation.Result result = new LoadOperation(loaders, managed, client).run(targets, scope);
    targets.forEach(target -> remember(target, result, explicit.contains(target.name())));
    result
        .switched()
        .forEach((id, served) ->
            managed.computeIfPresent(id, (_, model) -> model.serving(served.orElse(null))));
    if (stopped) {
      var _ = stopSchedulers(); // also those that serve since
    }
    directories.release();
    closer.close(result.callers(), result.models(), this::closed);
    return result.failures();
  }

  /** Records that a model is to serve; not in a form that a client sent and that has failed. */
  private void remember(PolledModel target, LoadOperation.Result result, boolean explicit) {
    ModelId id = target.id();
    boolean failed = result.failures().containsKey(id);
    boolean forgotten = failed && !(target.origin() instanceof Origin.Repository);
    ManagedModel before = managed.get(id);
    if (before != null) {
      PolledModel latest = forgotten ? before.latest() : target;
      managed.put(id, new ManagedModel(latest, before.served(), explicit || before.explicit()));
    } else if (!forgotten) {
      managed.put(id, new ManagedModel(target, null, explicit));
    }
    if (forgotten) {
      loaders.scan().release(target);
    } else {
      directories.add(target, failed ? List.of() : loaders.registry().entry(id).ready());
    }
  }

  /**
   * Unloads models and those that call them; returns once none of them accepts requests. Models
   * that are not loaded are ignored.
   *
   * @param withComposing whether to unload also the models that were loaded for them only
   * @throws InferenceException UNAVAILABLE if the server exits
   */
  public void unload(Set<ModelId> models, boolean withComposing) {
    Set<String> names = models.stream().map(ModelId::name).collect(Collectors.toSet());
    Set<String> scope = related(names, List.of());
    while (true) {
      try (OperationLocks.Held held = locks.acquire(scope)) {
        scope = related(names, List.of());
        if (held.covers(scope)) {
          Set<ModelId> unwanted = new TreeSet<>(models);
          unwanted.removeIf(id -> !loaders.registry().snapshot().containsKey(id));
          unload(UnloadPlan.of(unwanted, managed, withComposing));
          return;
        }
      }
    }
  }

  private void unload(UnloadPlan plan) {
    List<LoadedModel> callers = ready(plan.callers());
    List<LoadedModel> models = ready(plan.changes().keySet());
    models.removeAll(callers);
    loaders.registry().update(plan.changes());
    managed.keySet().removeAll(plan.unwanted());
    plan.forcedDown()
        .forEach(id -> managed.computeIfPresent(id, (_, model) -> model.serving(null)));
    directories.release();
    closer.close(callers, models, this::closed);
  }

  private List<LoadedModel> ready(Collection<ModelId> ids) {
    List<LoadedModel> ready = new ArrayList<>();
    ids.forEach(id -> ready.addAll(loaders.registry().entry(id).ready()));
    return ready;
  }

  /** Records that a version has closed, unless another has taken its place. */
  private void closed(LoadedModel model) {
    Collection<ModelId> ids = loaders.registry().snapshot().keySet();
    ids.stream()
        .filter(id -> id.name().equals(model.key().name()))
        .forEach(id -> loaders.registry().update(id, entry -> entry.closed(model)));
    directories.closed(model);
  }

  /**
   * Stops the admission of requests to all versions, also to those that are loading now.
   *
   * @return completed when no sequence is live
   */
  public CompletableFuture<?> stop() {
    stopped = true;
    return stopSchedulers();
  }

  private CompletableFuture<?> stopSchedulers() {
    return CompletableFuture.allOf(
        loaders.registry().ready().stream()
            .map(model -> model.scheduler().stop())
            .toArray(CompletableFuture<?>[]::new));
  }

  /** Rejects further operations, waits for those that run, and closes all models. */
  public void close() {
    locks.close();
    unload(UnloadPlan.of(loaders.registry().snapshot().keySet(), managed, false));
    closer.await();
  }
}
