package io.nereid.engine.model.loading;

import io.nereid.config.EnsembleSettings;
import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.model.LabelFile;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.ModelEntry;
import io.nereid.engine.model.ModelRuntime;
import io.nereid.engine.model.config.ModelConfigCompletion;
import io.nereid.engine.model.config.ModelConfiguration;
import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.engine.model.config.validation.ModelConfigValidator;
import io.nereid.engine.scheduling.Clock;
import io.nereid.engine.scheduling.ensemble.EnsembleScheduler;
import io.nereid.engine.scheduling.ensemble.graph.DependencyValidator;
import io.nereid.engine.scheduling.ensemble.graph.EnsembleGraph.ModelReference;
import io.nereid.engine.scheduling.policy.WaitLimit;
import io.nereid.engine.telemetry.statistics.ModelStatistics;
import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Loads ensembles whose composing models are ready. An ensemble is a graph of other models, so
 * loading opens nothing and does not block.
 */
public record EnsembleLoader(LoaderSettings settings, ModelConfigCompletion completion) {
  /**
   * The scheduler of an ensemble. Its models are loaded and closed separately: they have instances
   * and memory, and a request fails at the step whose model has failed.
   */
  private record EnsembleRuntime(EnsembleScheduler scheduler, BufferPool inputPool)
      implements ModelRuntime {
    @Override
    public boolean isHealthy() {
      return scheduler.isHealthy();
    }

    @Override
    public void update(List<InstanceSettings> instances) {
      throw new IllegalStateException("an ensemble has no instances");
    }

    @Override
    public void close() {
      scheduler.close();
    }
  }

  /**
   * Loads a version.
   *
   * @param polled an ensemble without circular dependencies
   * @param models the models that it may be composed of, by name
   * @param unavailable the ensembles that failed to load because of their composing models
   * @throws InferenceException if it cannot be loaded
   */
  public LoadedModel load(
      PolledModel polled,
      long version,
      Map<String, ModelEntry> models,
      Map<String, InferenceException> unavailable) {
    Clock clock = settings.clock();
    long begin = clock.nanos();
    String name = polled.name();
    ModelConfiguration draft =
        completion.complete(
            polled.directory(), polled.config(), UnaryOperator.identity(), _ -> 0, List.of());
    if (!(draft.settings().scheduling() instanceof EnsembleSettings graph)) {
      throw new IllegalArgumentException("'%s' is not an ensemble".formatted(name));
    }
    List<LoadedModel> composing =
        new EnsembleDependencies(name, models, unavailable).require(graph);
    boolean decoupled =
        DependencyValidator.validate(
            draft.settings(), graph, composing.stream().map(LoadedModel::config).toList());
    ModelConfiguration configuration = withDecoupled(draft, decoupled);
    var key = new ModelKey(name, version);
    ModelStatistics statistics =
        settings
            .serving()
            .latencies()
            .statistics(polled.id(), key, polled.config().message(), clock);
    var scheduler =
        new EnsembleScheduler(
            configuration.settings(),
            graph,
            composingModels(graph, composing),
            clock,
            statistics.addInstance(),
            new WaitLimit(settings.serving().queueLimits().maxWaitNanos()));
    statistics.loaded(clock.nanos() - begin, System.currentTimeMillis());
    return new LoadedModel(
        key,
        configuration,
        labels(polled.directory(), configuration, graph, composing),
        new EnsembleRuntime(scheduler, inputPool(draft.settings(), graph, composing)),
        statistics,
        settings.caching(statistics),
        settings.admission());
  }

  /**
   * The memory for the ensemble's inputs: that of the first step that reads one of them and whose
   * model has memory of its own. Another step may read them from there as well.
   */
  private BufferPool inputPool(
      ModelConfig ensemble, EnsembleSettings graph, List<LoadedModel> composing) {
    for (int k = 0; k < composing.size(); k++) {
      BufferPool pool = composing.get(k).inputPool();
      Collection<String> read = graph.steps().get(k).inputMap().values();
      if (!pool.equals(settings.pool())
          && read.stream().anyMatch(tensor -> ensemble.input(tensor).isPresent())) {
        return pool;
      }
    }
    return settings.pool();
  }

  private static Map<ModelReference, LoadedModel> composingModels(
      EnsembleSettings graph, List<LoadedModel> composing) {
    Map<ModelReference, LoadedModel> models = new HashMap<>();
    for (int k = 0; k < composing.size(); k++) {
      EnsembleSettings.Step step = graph.steps().get(k);
      models.put(new ModelReference(step.modelName(), step.modelVersion()), composing.get(k));
    }
    return models;
  }

  /** Replaces the policy of the file: whether an ensemble is decoupled follows from its models. */
  private static ModelConfiguration withDecoupled(ModelConfiguration draft, boolean decoupled) {
    var message = draft.message().toBuilder();
    message.getModelTransactionPolicyBuilder().setDecoupled(decoupled);
    ModelConfigValidator.validate(message.build());
    return new ModelConfiguration(
        message.build(),
        draft.settings().withDecoupled(decoupled),
        draft.instances(),
        /* isBatchSizeCompleted= */ false);
  }

  /** The labels of the ensemble's own files, else of the step's output that becomes its output. */
  private static Map<String, LabelFile> labels(
      ModelDirectory directory,
      ModelConfiguration configuration,
      EnsembleSettings graph,
      List<LoadedModel> composing) {
    Map<String, LabelFile> labels = new HashMap<>();
    for (int k = 0; k < composing.size(); k++) {
      LoadedModel model = composing.get(k);
      graph
          .steps()
          .get(k)
          .outputMap()
          .forEach((output, tensor) -> labels.put(tensor, model.labels(output)));
    }
    labels
        .keySet()
        .retainAll(configuration.settings().outputs().stream().map(TensorConfig::name).toList());
    labels.putAll(LabelFile.readAll(directory, configuration.message()));
    return labels;
  }
}
