package io.nereid.server.model;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import io.nereid.server.backend.BackendCatalog;
import io.nereid.server.execution.InstanceGroup;
import io.nereid.server.execution.ratelimit.RateLimiter;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.memory.SlabPool;
import io.nereid.server.model.config.ModelConfigCompletion;
import io.nereid.server.model.config.ModelConfigReader;
import io.nereid.server.model.config.ModelConfiguration;
import io.nereid.server.model.config.ModelDirectory;
import io.nereid.server.scheduling.Clock;
import io.nereid.server.scheduling.DecisionJournal;
import io.nereid.server.scheduling.SchedulerLoop;
import io.nereid.server.scheduling.Schedulers;
import io.nereid.server.telemetry.statistics.ModelStatistics;
import io.nereid.spi.Backend;
import io.nereid.spi.HostAllocator;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import java.util.Optional;

/**
 * Loads one version of a model: backend, configuration, instances, scheduler. By the threads that
 * load models.
 */
final class ModelLoader {
  /** The parameter by which Triton finds a custom batching library. */
  private static final String NATIVE_STRATEGY = "TRITON_BATCH_STRATEGY_PATH";

  private final BackendCatalog backends;
  private final ModelConfigCompletion completion;
  private final BufferPool pool;
  private final long maxPoolByteSize;
  private final int queueCapacity;
  private final Clock clock;
  private final DecisionJournal journal;
  private final RateLimiter limiter;
  private final LatencyMetrics metrics;

  /**
   * @param pool for inputs and outputs of models that want no memory of their own
   * @param maxPoolByteSize the limit of the pool of a model that does
   * @param queueCapacity requests that may wait for a model; a power of two
   * @param journal where decisions of schedulers are written down
   * @param limiter whose turns the instances of all models take
   */
  ModelLoader(
      BackendCatalog backends,
      ModelConfigCompletion completion,
      BufferPool pool,
      long maxPoolByteSize,
      int queueCapacity,
      Clock clock,
      DecisionJournal journal,
      RateLimiter limiter,
      LatencyMetrics metrics) {
    this.backends = backends;
    this.completion = completion;
    this.pool = pool;
    this.maxPoolByteSize = maxPoolByteSize;
    this.queueCapacity = queueCapacity;
    this.clock = clock;
    this.journal = journal;
    this.limiter = limiter;
    this.metrics = metrics;
  }

  /**
   * Loads a version; nothing is left behind if that fails.
   *
   * @param polled as {@link ModelConfigReader} returned it; of no ensemble
   * @throws InferenceException why it cannot be loaded
   */
  LoadedModel load(
      ModelDirectory directory, io.nereid.server.protobuf.ModelConfig polled, long version) {
    long begin = clock.nanos();
    Backend backend = backends.open(polled.getBackend());
    var files = new ModelFiles(directory.path(), version);
    ModelConfiguration configuration =
        completion.complete(
            directory,
            polled,
            config -> backend.complete(files, config),
            backend::defaultInstanceCount);
    refuseNativeStrategy(configuration.settings());
    var initialStates = InitialStates.read(directory, configuration.settings());
    var labels = LabelFile.readAll(directory, configuration.message());
    Model model = backend.load(files, configuration.settings());
    var key = new ModelKey(directory.name(), version);
    ModelStatistics statistics = metrics.statistics(key, configuration.message(), clock);
    try {
      Optional<HostAllocator> allocator =
          model.inputAllocator(); // may throw: before instances open
      InstanceGroup instances =
          InstanceGroup.open(
              new InstanceGroup.Settings(
                  configuration.settings(),
                  model,
                  pool,
                  clock::nanos,
                  statistics,
                  initialStates,
                  limiter),
              configuration.instances());
      statistics.loaded(clock.nanos() - begin);
      var runtime =
          new InstanceRuntime(
              model,
              instances,
              schedule(key, configuration.settings(), model, instances),
              allocator.<BufferPool>map(own -> new SlabPool(own, maxPoolByteSize)).orElse(pool),
              allocator.isPresent());
      return new LoadedModel(key, configuration, labels, runtime, statistics);
    } catch (RuntimeException refused) {
      model.close();
      throw refused;
    }
  }

  private SchedulerLoop schedule(
      ModelKey key, ModelConfig config, Model model, InstanceGroup instances) {
    try {
      return Schedulers.start(key, config, model, instances, clock, queueCapacity, journal);
    } catch (RuntimeException refused) {
      instances.close();
      throw refused;
    }
  }

  /** To batch such a model by other rules than its own could make its answers wrong. */
  private static void refuseNativeStrategy(ModelConfig config) {
    String library = config.parameters().get(NATIVE_STRATEGY);
    if (library != null) {
      throw InferenceException.unsupported(
          ("model '%s': parameter '%s' names the native library '%s', which this server cannot load;"
                  + " a backend says who shares a batch by its BatchingStrategy")
              .formatted(config.name(), NATIVE_STRATEGY, library));
    }
  }
}
