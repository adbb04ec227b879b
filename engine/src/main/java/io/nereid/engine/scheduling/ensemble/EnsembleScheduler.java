package io.nereid.engine.scheduling.ensemble;

import io.nereid.config.EnsembleSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.call.CalledModel;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.RequestErrors;
import io.nereid.engine.request.UnexpectedFailures;
import io.nereid.engine.scheduling.Clock;
import io.nereid.engine.scheduling.Overload;
import io.nereid.engine.scheduling.Scheduler;
import io.nereid.engine.scheduling.ensemble.graph.DependencyValidator;
import io.nereid.engine.scheduling.ensemble.graph.EnsembleGraph;
import io.nereid.engine.scheduling.ensemble.graph.EnsembleGraph.ModelReference;
import io.nereid.engine.scheduling.ensemble.graph.EnsemblePlan;
import io.nereid.engine.scheduling.policy.PredictedWait;
import io.nereid.engine.scheduling.policy.WaitLimit;
import io.nereid.engine.telemetry.statistics.InstanceStatistics;
import io.nereid.error.InferenceException;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * A scheduler that runs requests not on instances but by the models of an ensemble's steps. It has
 * no queue: a request starts at once, and only its steps wait.
 */
public final class EnsembleScheduler implements Scheduler {
  /**
   * What the requests of an ensemble share.
   *
   * @param models those of {@code graph.models()}, in that order
   * @param limiters by step
   * @param clock the source of the steps' arrival times
   */
  record Shared(
      EnsembleGraph graph,
      EnsembleSignature signature,
      List<CalledModel> models,
      List<StepLimiter> limiters,
      Clock clock,
      EnsembleStatistics statistics) {
    Shared {
      models = List.copyOf(models);
      limiters = List.copyOf(limiters);
    }

    /** Whether a step ever waits for a permit. */
    boolean isLimited() {
      return limiters.stream().anyMatch(StepLimiter::isLimited);
    }
  }

  private final Shared ensemble;
  private static final System.Logger LOG = System.getLogger(EnsembleScheduler.class.getName());

  private final EnsemblePlan allOutputs;
  private final List<String> outputNames;
  private final WaitLimit waitLimit;
  private volatile boolean stopped;

  /**
   * @param config the ensemble's, checked against its models by {@link DependencyValidator}
   * @param settings its steps
   * @param models the models of all steps, which close after this scheduler's last request
   * @param clock the source of the steps' arrival times
   * @param statistics not written by another class
   * @param waitLimit of the wait of a request in all of its steps
   */
  public EnsembleScheduler(
      ModelConfig config,
      EnsembleSettings settings,
      Map<ModelReference, ? extends CalledModel> models,
      Clock clock,
      InstanceStatistics statistics,
      WaitLimit waitLimit) {
    EnsembleGraph graph = EnsembleGraph.of(config, settings);
    this.outputNames = config.outputs().stream().map(TensorConfig::name).toList();
    this.waitLimit = waitLimit;
    this.allOutputs = graph.plan(outputNames);
    this.ensemble =
        new Shared(
            graph,
            new EnsembleSignature(config, graph),
            graph.models().stream()
                .<CalledModel>map(reference -> Objects.requireNonNull(models.get(reference)))
                .toList(),
            Stream.generate(() -> new StepLimiter(settings.maxInflightRequests()))
                .limit(graph.steps().size())
                .toList(),
            clock,
            new EnsembleStatistics(statistics, clock));
  }

  @Override
  public void submit(PendingRequest request) {
    if (stopped && isNew(request)) {
      request.close();
      request.promise().reject(Scheduler.stopping(RequestErrors.prefix(request.request().id())));
      return;
    }
    if (waitLimit.concerns(request, 0) && isNew(request)) {
      PredictedWait tooLong = ensemble.statistics().refusal(request, waitLimit);
      if (tooLong != null) {
        request.close();
        request.promise().reject(Overload.refused(request, tooLong));
        return;
      }
    }
    List<CalledModel> entered = new ArrayList<>(ensemble.models().size());
    ensemble.statistics().began();
    EnsembleRun run;
    try {
      for (CalledModel model : ensemble.models()) {
        if (!model.enter()) {
          throw Scheduler.notReady(model.key().name(), model.key().version());
        }
        entered.add(model);
      }
      List<String> outputs = request.request().outputs();
      EnsemblePlan plan = outputs.equals(outputNames) ? allOutputs : ensemble.graph().plan(outputs);
      run = new EnsembleRun(ensemble, plan, entered, request);
    } catch (Throwable thrown) { // not ready, or no memory
      ensemble.statistics().failed(request);
      entered.forEach(CalledModel::leave);
      try {
        request.close();
      } finally {
        InferenceException failure = UnexpectedFailures.of(LOG, "a request", thrown);
        request.promise().fail(ensemble.signature().inEnsemble(failure));
      }
      return;
    }
    run.start();
  }

  /**
   * Whether a request is new, and not part of a sequence or an ensemble that was admitted before.
   */
  private static boolean isNew(PendingRequest request) {
    RequestOptions options = request.request().options();
    boolean goesOn = !options.sequenceId().equals(SequenceId.NONE) && !options.sequenceStart();
    return !goesOn && !request.isStep();
  }

  /** The schedulers of the steps know of sequences that continue; this one has none. */
  @Override
  public CompletableFuture<?> stop() {
    stopped = true;
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void close() {}

  /** Whether every model of the ensemble is healthy. */
  public boolean isHealthy() {
    return ensemble.models().stream().allMatch(CalledModel::isHealthy);
  }
}
