package io.nereid.engine.model.loading;

import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.cache.ModelCaching;
import io.nereid.engine.cache.ResponseCaching;
import io.nereid.engine.execution.InstanceGroup;
import io.nereid.engine.execution.affinity.HostPolicies;
import io.nereid.engine.execution.ratelimit.RateLimiter;
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
 * @param maxPoolByteSize the limit of the pool of a model that does
 * @param queueLimits of the requests that wait for a model; their number is a power of two
 * @param clock the time of requests
 * @param journal receives the decisions of all schedulers
 * @param limiter shared by the instances of all models
 * @param hostPolicies applied to the threads of instances
 * @param maxDetached from so many detached requests on, an instance begins no batch
 * @param metrics which latencies are recorded beside their sums
 * @param caching the response cache, if the server has one
 */
public record LoaderSettings(
    BiConsumer<LoadedModel, PendingRequest> admission,
    BackendCatalog backends,
    BufferPool pool,
    long maxPoolByteSize,
    QueueLimits queueLimits,
    Clock clock,
    DecisionJournal journal,
    RateLimiter limiter,
    HostPolicies hostPolicies,
    int maxDetached,
    LatencyMetrics metrics,
    Optional<ResponseCaching> caching) {
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
        maxPoolByteSize,
        QueueLimits.of(queueCapacity),
        clock,
        DecisionJournal.NONE,
        RateLimiter.OFF,
        HostPolicies.NONE,
        InstanceGroup.MAX_DETACHED,
        LatencyMetrics.NONE,
        Optional.empty());
  }

  /** The use of the response cache by a model; null if server or model have none. */
  @Nullable ModelCaching caching(ModelStatistics statistics) {
    return caching.flatMap(cache -> statistics.cache().map(cache::ofModel)).orElse(null);
  }
}
