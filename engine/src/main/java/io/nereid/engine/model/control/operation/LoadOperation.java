package io.nereid.engine.model.control.operation;

import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.ModelEntry;
import io.nereid.engine.model.ModelId;
import io.nereid.engine.model.ModelRegistry;
import io.nereid.engine.model.control.operation.ModelLoad.Outcome;
import io.nereid.engine.model.loading.CallOrder;
import io.nereid.engine.model.loading.EnsembleLoader;
import io.nereid.engine.model.loading.ModelGraph;
import io.nereid.engine.model.loading.ModelLoader;
import io.nereid.engine.model.loading.PolledModel;
import io.nereid.error.InferenceException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One load of related models. What has changed is loaded while the present versions serve; then all
 * of it, with the models that call it, is switched at once. A model that fails keeps the versions
 * that it has. Used by one thread, which holds the {@link OperationLocks} of all models concerned.
 */
public final class LoadOperation {
  /**
   * What loads have in common.
   *
   * @param threads load versions
   * @param closers close them
   */
  public record Loaders(
      ModelRegistry registry,
      RepositoryScan scan,
      ModelLoader models,
      EnsembleLoader ensembles,
      LifeCycleTelemetry telemetry,
      BackendThreads threads,
      BackendThreads closers) {}

  /**
   * What an operation has done.
   *
   * @param failures of the models that were to load
   * @param switched the models that serve as they were polled, or not at all if there is none
   * @param callers to be closed, outermost first
   * @param models to be closed after them
   */
  public record Result(
      Map<ModelId, LoadFailure> failures,
      Map<ModelId, Optional<PolledModel>> switched,
      List<LoadedModel> callers,
      List<LoadedModel> models) {}

  private final Loaders loaders;
  private final Map<ModelId, ManagedModel> managed;
  private final Optional<ClientKey> client;
  private final SwitchPlan plan;
  private final Map<ModelId, LoadFailure> failures = new TreeMap<>();

  /** The loads of callers that are no ensembles, each behind those of the models that it calls. */
  private final List<ModelLoad> loading = new ArrayList<>();

  /** The models that callers find as this operation will switch them. */
  private final Set<ModelId> staged = new HashSet<>();

  /**
   * @param managed all models that the manager knows; not changed
   * @param client that asks for it; empty if none does
   */
  public LoadOperation(
      Loaders loaders, Map<ModelId, ManagedModel> managed, Optional<ClientKey> client) {
    this.loaders = loaders;
    this.client = client;
    this.managed = Map.copyOf(managed);
    this.plan = new SwitchPlan(loaders.registry());
  }

  /**
   * Loads models, and those that wait for them or call them.
   *
   * @param targets the models to load
   * @param scope all models that this operation may change
   */
  public Result run(List<PolledModel> targets, Set<String> scope) {
    Map<ModelId, PolledModel> callers = callers(scope);
    List<ModelLoad> loads = new ArrayList<>();
    for (PolledModel target : targets) {
      ModelChange change = ModelChange.between(served(target.id()), target);
      if (change instanceof ModelChange.None) {
        plan.change(target.id(), ModelEntry::withoutFailures);
      }
      if (target.isCaller()) {
        callers.put(target.id(), target);
      } else if (!(change instanceof ModelChange.None)) {
        start(target, change, loads);
      }
    }
    loads.forEach(this::finish);
    try {
      loadCallers(targets.stream().map(PolledModel::id).collect(Collectors.toSet()), callers);
      finishCallers();
      plan.switchAll();
    } finally {
      loaders.registry().callable().unstage(staged);
    }
    plan.served().forEach(loaders.telemetry()::serves);
    return new Result(failures, plan.switched(), plan.replacedCallers(), plan.replacedModels());
  }

  /** The model that serves; null if none does, or a version of it has failed. */
  private @Nullable PolledModel served(ModelId id) {
    ManagedModel known = managed.get(id);
    ModelEntry entry = loaders.registry().entry(id);
    return known == null || !entry.isReady() || entry.hasBrokenVersion() ? null : known.served();
  }

  /** The callers that are to serve. */
  private Map<ModelId, PolledModel> callers(Set<String> scope) {
    Map<ModelId, PolledModel> callers = new TreeMap<>();
    managed.forEach((id, model) -> {
      if (scope.contains(id.name())) {
        model.caller().ifPresent(caller -> callers.put(id, caller));
      }
    });
    return callers;
  }

  private void start(PolledModel target, ModelChange change, List<ModelLoad> loads) {
    ModelLoad load;
    try {
      load = ModelLoad.of(loaders, target, change, client);
    } catch (InferenceException failure) {
      fail(target.id(), LoadFailure.of(failure));
      return;
    }
    loaders.registry().update(target.id(), entry -> entry.loading(load.versions()));
    load.start();
    loads.add(load);
  }

  private void finish(ModelLoad load) {
    Outcome outcome = load.finish();
    if (outcome.failure() == null) {
      serve(load.polled(), outcome.models());
    } else {
      plan.close(outcome.models().values());
      fail(load.id(), outcome.failure());
    }
  }

  /** Plans that exactly these versions serve. */
  private void serve(PolledModel polled, Map<Long, LoadedModel> models) {
    PolledModel former = served(polled.id());
    plan.serve(polled, models, former != null && former.isCaller());
  }

  /** Plans that a model keeps the versions that it has. */
  private void fail(ModelId id, LoadFailure failure) {
    failures.put(id, failure);
    plan.change(id, entry -> entry.failed(failure.versions(), failure.reason()));
    if (failure.versions().isEmpty()) {
      loaders.telemetry().notLoaded(id, failure.reason());
    }
  }

  private void loadCallers(Set<ModelId> targets, Map<ModelId, PolledModel> callers) {
    Set<PolledModel> forms = new LinkedHashSet<>(callers.values());
    callers.keySet().stream().flatMap(id -> Stream.ofNullable(served(id))).forEach(forms::add);
    ModelGraph graph = graph(callers.values());
    CallOrder circularities = graph.order();
    CallOrder order = graph(forms).order();
    for (ModelId id : order.callers()) {
      PolledModel caller = Objects.requireNonNull(callers.get(id));
      finishCallers(caller);
      if (plan.isSwitched(id)) {
        continue; // it calls no other any more
      }
      boolean isTarget = targets.contains(id);
      boolean affected =
          forms.stream()
              .filter(form -> form.id().equals(id))
              .flatMap(form -> graph.called(form).stream())
              .anyMatch(plan::isChanged);
      ModelChange change = ModelChange.between(served(id), caller);
      boolean isWanted = isTarget && !(change instanceof ModelChange.None);
      if (caller.isEnsemble()) {
        if (affected || isWanted) {
          load(caller, isTarget, affected, circularities);
        }
      } else if (isWanted || (affected && served(id) == null)) {
        start(caller, change, isTarget, order);
      } else if (affected) {
        endIfItLacksAModel(id);
      }
    }
  }

  /** Starts a load of a caller that is no ensemble, once the models that it calls are ready. */
  private void start(PolledModel caller, ModelChange change, boolean isTarget, CallOrder order) {
    try {
      order.requireNotCircular(caller.id());
      requireCalled(caller);
    } catch (InferenceException failure) {
      plan.setUnavailable(caller.id(), failure);
      if (isTarget) {
        fail(caller.id(), LoadFailure.of(failure));
      } else {
        loaders.telemetry().notLoaded(caller.id(), failure.reason());
        plan.change(caller.id(), entry -> entry.notLoaded(failure.reason()));
      }
      endIfItLacksAModel(caller.id());
      return;
    }
    stage(caller);
    start(caller, change, loading);
  }

  /** Finishes the loads of callers that a model calls; all of them for an ensemble. */
  private void finishCallers(PolledModel caller) {
    boolean waits =
        caller.isEnsemble()
            || loading.stream().anyMatch(load -> caller.calls().contains(load.id().name()));
    if (waits) {
      finishCallers();
    }
  }

  private void finishCallers() {
    loading.forEach(load -> {
      finish(load);
      endIfItLacksAModel(load.id());
    });
    loading.clear();
  }

  /** Lets callers find the models that one calls as they will serve once they are switched. */
  private void stage(PolledModel caller) {
    Map<ModelId, ModelEntry> present = plan.present();
    for (ModelId called : new ModelGraph(present.keySet(), List.of()).called(caller)) {
      loaders.registry().callable().stage(called, present.getOrDefault(called, ModelEntry.EMPTY));
      staged.add(called);
    }
  }

  private void requireCalled(PolledModel caller) {
    Map<ModelId, ModelEntry> present = plan.present();
    var graph = new ModelGraph(present.keySet(), List.of());
    for (String name : caller.calls()) {
      Optional<ModelId> called = graph.resolve(caller.id(), name);
      ModelEntry entry = called.map(present::get).orElse(ModelEntry.EMPTY);
      if (!entry.isReady()) {
        InferenceException failure = called.map(plan::unavailable).orElse(null);
        throw InferenceException.invalid(
            "model '%s' calls model '%s', which is %s%s"
                .formatted(
                    caller.name(),
                    name,
                    called.isEmpty()
                        ? "in no model repository, or was unloaded" + graph.nearest(name)
                        : "not ready",
                    failure == null ? "" : ": " + failure.getMessage()));
      }
    }
  }

  /** Plans that a caller which serves, and is no ensemble, does not if it lacks a model. */
  private void endIfItLacksAModel(ModelId id) {
    PolledModel served = served(id);
    if (served == null || served.isEnsemble() || plan.isSwitched(id)) {
      return;
    }
    try {
      requireCalled(served);
    } catch (InferenceException failure) {
      plan.end(id, failure);
    }
  }

  private ModelGraph graph(Collection<PolledModel> callers) {
    return new ModelGraph(plan.present().keySet(), callers);
  }

  private void load(
      PolledModel ensemble, boolean isTarget, boolean affected, CallOrder circularities) {
    try {
      serve(ensemble, versions(ensemble, circularities));
      return;
    } catch (InferenceException failure) {
      if (isTarget) {
        failures.put(ensemble.id(), LoadFailure.of(failure));
      }
      failEnsemble(ensemble, failure, affected, circularities);
    }
  }

  private Map<Long, LoadedModel> versions(PolledModel ensemble, CallOrder circularities) {
    Map<String, ModelEntry> models = new HashMap<>();
    Map<String, InferenceException> failed = new HashMap<>();
    Map<ModelId, ModelEntry> present = plan.present();
    var graph = new ModelGraph(present.keySet(), List.of());
    for (String name : ensemble.calls()) {
      graph
          .resolve(ensemble.id(), name)
          .ifPresent(id -> {
            models.put(name, present.getOrDefault(id, ModelEntry.EMPTY));
            InferenceException failure = plan.unavailable(id);
            if (failure != null) {
              failed.put(name, failure);
            }
          });
    }
    Map<Long, LoadedModel> versions = new TreeMap<>();
    for (long version : ensemble.versions()) {
      Supplier<LoadedModel> loader =
          () -> {
            circularities.requireNotCircular(ensemble.id());
            return loaders.ensembles().load(ensemble, version, models, failed);
          };
      versions.put(version, loaders.telemetry().load(ensemble, version, loader, () -> false));
    }
    return versions;
  }

  /** Plans that an ensemble keeps its versions if their models have not changed, or has none. */
  private void failEnsemble(
      PolledModel ensemble, InferenceException failure, boolean affected, CallOrder circularities) {
    ModelId id = ensemble.id();
    loaders.telemetry().failed(id, failure.reason());
    PolledModel served = served(id);
    if (served != null && !affected) {
      return;
    }
    if (served != null && !served.equals(ensemble)) {
      // The former configuration may fit the changed models.
      load(served, false, true, circularities);
      return;
    }
    plan.end(id, failure);
  }
}
