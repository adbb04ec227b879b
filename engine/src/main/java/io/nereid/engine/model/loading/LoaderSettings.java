package io.nereid.engine.model.loading;

import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.cache.ModelCaching;
import io.nereid.engine.cache.ResponseCaching;
import io.nereid.engine.execution.InstanceLimits;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.scheduling.Clock;
import io.nereid.engine.scheduling.DecisionJournal;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.telemetry.statistics.ModelStatistics;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The components and limits that all models share.
 *
 * @param admission of the requests of models that call others
 * @param pool memory for inputs and outputs, unless a model allocates its inputs itself
 * @param clock the time of requests
 * @param journal receives the decisions of all schedulers
 * @param caching the response cache, if the server has one
 * @param serving the limits
 */
public record LoaderSettings(
    BiConsumer<LoadedModel, PendingRequest> admission,
    BackendCatalog backends,
    BufferPool pool,
    Clock clock,
    DecisionJournal journal,
    Optional<ResponseCaching> caching,
    ServingSettings serving) {
  /** Settings without journal, limits, host policies, latencies and response cache. */
  public static LoaderSettings of(
      BiConsumer<LoadedModel, PendingRequest> admission,
      BackendCatalog backends,
      BufferPool pool,
      long maxPoolByteSize,
      int queueCapacity,
      Clock clock) {
    return new LoaderSettings(
        admission,
        backends,
        pool,
        clock,
        DecisionJournal.NONE,
        Optional.empty(),
        new ServingSettings(
            maxPoolByteSize,
            QueueLimits.of(queueCapacity),
            InstanceLimits.NONE,
            LatencyMetrics.NONE));
  }

  /** The use of the response cache by a model; null if server or model have none. */
  @Nullable ModelCaching caching(ModelStatistics statistics) {
    return caching.flatMap(cache -> statistics.cache().map(cache::ofModel)).orElse(null);
  }
}
