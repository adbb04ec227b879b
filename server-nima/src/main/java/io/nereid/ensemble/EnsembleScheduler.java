package io.nereid.ensemble;

import io.nereid.config.EnsembleSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.ensemble.EnsembleGraph.ModelReference;
import io.nereid.error.InferenceException;
import io.nereid.exchange.PendingRequest;
import io.nereid.scheduler.Clock;
import io.nereid.scheduler.Scheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Has the steps of an ensemble run for each of its requests: as a scheduler it hands requests not
 * to instances but to other models. It has no queue: a request starts at once, and waits where its
 * steps do.
 */
public final class EnsembleScheduler implements Scheduler {
  private final EnsembleGraph graph;
  private final EnsembleSignature signature;
  private final EnsemblePlan allOutputs;
  private final List<String> outputNames;
  private final List<StepLimiter> limiters;
  private final ComposingModels models;
  private final Clock clock;

  /**
   * @param config the ensemble's, checked against its models by {@link DependencyValidator}
   * @param settings its steps
   * @param clock by which the steps' requests arrive
   */
  public EnsembleScheduler(
      ModelConfig config, EnsembleSettings settings, ComposingModels models, Clock clock) {
    this.graph = EnsembleGraph.of(config, settings);
    this.signature = new EnsembleSignature(config, graph);
    this.outputNames = config.outputs().stream().map(TensorConfig::name).toList();
    this.allOutputs = graph.plan(outputNames);
    this.limiters =
        Stream.generate(() -> new StepLimiter(settings.maxInflightRequests()))
            .limit(graph.steps().size())
            .toList();
    this.models = models;
    this.clock = clock;
  }

  @Override
  public void submit(PendingRequest request) {
    List<ComposingModel> entered = new ArrayList<>(graph.models().size());
    try {
      for (ModelReference reference : graph.models()) {
        entered.add(enter(reference));
      }
    } catch (InferenceException refused) {
      request.close();
      entered.forEach(ComposingModel::leave);
      request.promise().fail(signature.inEnsemble(refused));
      return;
    }
    List<String> outputs = request.request().outputs();
    EnsemblePlan plan = outputs.equals(outputNames) ? allOutputs : graph.plan(outputs);
    new EnsembleRun(graph, signature, limiters, plan, entered, request, clock).start();
  }

  /** Nothing: what refuses requests after the stop are the models that steps run on. */
  @Override
  public void stop() {}

  /** Nothing waits here. */
  @Override
  public void close() {}

  private ComposingModel enter(ModelReference reference) {
    ComposingModel model = models.find(reference.name(), reference.version());
    if (!model.enter()) {
      throw InferenceException.unavailable(
          "Request for unknown model: '%s' version %d is not at ready state"
              .formatted(model.key().name(), model.key().version()));
    }
    return model;
  }

  /** Whether every model of the ensemble is ready and healthy. */
  public boolean isHealthy() {
    try {
      return graph.models().stream()
          .allMatch(reference -> models.find(reference.name(), reference.version()).isHealthy());
    } catch (InferenceException notReady) {
      return false;
    }
  }
}
