package io.nereid.server.model;

import io.nereid.config.EnsembleSettings;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.model.config.ModelConfigCompletion;
import io.nereid.server.model.config.ModelConfigValidator;
import io.nereid.server.model.config.ModelConfiguration;
import io.nereid.server.model.config.ModelDirectory;
import io.nereid.server.scheduling.Clock;
import io.nereid.server.scheduling.ensemble.EnsembleScheduler;
import io.nereid.server.scheduling.ensemble.graph.DependencyValidator;
import io.nereid.server.telemetry.statistics.ModelStatistics;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Loads ensembles, once the models that they are composed of serve. Nothing is opened and nothing
 * blocks: an ensemble is a graph over other models.
 */
final class EnsembleLoader {
  private final ModelConfigCompletion completion;
  private final ModelRegistry registry;
  private final BufferPool pool;
  private final Clock clock;
  private final LatencyMetrics metrics;

  /**
   * @param registry where ensembles find their models
   * @param pool for the inputs of ensembles
   */
  EnsembleLoader(
      ModelConfigCompletion completion,
      ModelRegistry registry,
      BufferPool pool,
      Clock clock,
      LatencyMetrics metrics) {
    this.completion = completion;
    this.registry = registry;
    this.pool = pool;
    this.clock = clock;
    this.metrics = metrics;
  }

  /**
   * Loads a version.
   *
   * @param polled an ensemble that is no part of itself
   * @param refused ensembles that did not load for what they are composed of, and why
   * @throws InferenceException why it cannot be loaded
   */
  LoadedModel load(PolledModel polled, long version, Map<String, InferenceException> refused) {
    long begin = clock.nanos();
    String name = polled.name();
    ModelConfiguration draft =
        completion.complete(polled.directory(), polled.config(), UnaryOperator.identity(), _ -> 0);
    if (!(draft.settings().scheduling() instanceof EnsembleSettings settings)) {
      throw new IllegalArgumentException("'%s' is no ensemble".formatted(name));
    }
    List<LoadedModel> composing =
        new EnsembleDependencies(name, registry.snapshot(), refused).require(settings);
    boolean decoupled =
        DependencyValidator.validate(
            draft.settings(), settings, composing.stream().map(LoadedModel::config).toList());
    ModelConfiguration configuration = withDecoupled(draft, decoupled);
    var key = new ModelKey(name, version);
    ModelStatistics statistics = metrics.statistics(key, polled.config(), clock);
    var scheduler =
        new EnsembleScheduler(
            configuration.settings(), settings, registry::find, clock, statistics.addInstance());
    statistics.loaded(clock.nanos() - begin);
    return new LoadedModel(
        key,
        configuration,
        labels(polled.directory(), configuration, settings, composing),
        new EnsembleRuntime(scheduler, pool),
        statistics);
  }

  /** Whatever the file says: what an ensemble is follows from its models. */
  private static ModelConfiguration withDecoupled(ModelConfiguration draft, boolean decoupled) {
    var message = draft.message().toBuilder();
    message.getModelTransactionPolicyBuilder().setDecoupled(decoupled);
    ModelConfigValidator.validate(message.build());
    return new ModelConfiguration(
        message.build(), draft.settings().withDecoupled(decoupled), draft.instances());
  }

  /** The labels of the ensemble's own files, else those of the output that a step makes it from. */
  private static Map<String, LabelFile> labels(
      ModelDirectory directory,
      ModelConfiguration configuration,
      EnsembleSettings settings,
      List<LoadedModel> composing) {
    Map<String, LabelFile> labels = new HashMap<>();
    for (int k = 0; k < composing.size(); k++) {
      LoadedModel model = composing.get(k);
      settings
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
