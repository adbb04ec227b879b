package io.nereid.engine.model.loading;

import io.nereid.config.ModelConfig;
import io.nereid.engine.call.CalledModels;
import io.nereid.engine.call.CallingModel;
import io.nereid.engine.call.ModelOwnCalls;
import io.nereid.engine.execution.InstanceGroup;
import io.nereid.engine.execution.batch.ExecutedModel;
import io.nereid.engine.execution.ratelimit.RateLimiter;
import io.nereid.engine.execution.warmup.Warmup;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.SlabPool;
import io.nereid.engine.model.LabelFile;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.ModelId;
import io.nereid.engine.model.ModelRegistry;
import io.nereid.engine.model.config.ConfigSettings;
import io.nereid.engine.model.config.ModelConfigCompletion;
import io.nereid.engine.model.config.ModelConfiguration;
import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.engine.scheduling.Clock;
import io.nereid.engine.telemetry.statistics.ModelStatistics;
import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import io.nereid.spi.Backend;
import io.nereid.spi.HostAllocator;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Loads versions of models that a backend executes: backend, configuration, instances, scheduler.
 * Thread-safe.
 *
 * @param loadRetries how many times a version that failed to load is tried again
 * @param registry where the models are found that others call
 */
public record ModelLoader(
    LoaderSettings settings,
    ModelRegistry registry,
    ModelConfigCompletion completion,
    int loadRetries) {
  private static final System.Logger LOG = System.getLogger(ModelLoader.class.getName());

  /** The parameter by which Triton finds a custom batching library. */
  public static final String NATIVE_STRATEGY = "TRITON_BATCH_STRATEGY_PATH";

  /**
   * Loads a version, with as many retries as the operator allows; with none once the thread was
   * interrupted. If that fails, all that it opened is closed.
   *
   * @param polled not an ensemble
   * @throws InferenceException if it cannot be loaded
   */
  public LoadedModel load(PolledModel polled, long version) {
    for (int retries = loadRetries; ; retries--) {
      try {
        return load(backend(polled), polled, version, settings.clock().nanos());
      } catch (RuntimeException failure) {
        if (retries <= 0 || Thread.currentThread().isInterrupted()) {
          throw failure;
        }
        LOG.log(
            Level.WARNING,
            "model ''{0}'' version {1} failed to load, {2} retries left: {3}",
            polled.name(),
            Long.toString(version),
            retries,
            failure.getMessage());
      }
    }
  }

  private Backend backend(PolledModel polled) {
    return settings.backends().open(polled.config().message().getBackend());
  }

  /**
   * The completed configuration of a version.
   *
   * @param polled not an ensemble
   * @throws InferenceException if it cannot be completed
   */
  public ModelConfiguration configuration(PolledModel polled, long version) {
    return configuration(backend(polled), polled, version);
  }

  /**
   * Why a load fails that has not ended in time.
   *
   * @param limit as the operator has set it
   */
  public InferenceException late(PolledModel polled, long version, String limit) {
    String backend = polled.config().message().getBackend();
    String where =
        settings
            .backends()
            .running(backend, polled.name())
            .map(method -> "backend '%s' has not returned from %s".formatted(backend, method))
            .orElse("its instances are not open and warm");
    return InferenceException.unavailable(
        "model '%s' version %d has not loaded in time: %s; the limit is %s"
            .formatted(polled.name(), version, where, limit));
  }

  private ModelConfiguration configuration(Backend backend, PolledModel polled, long version) {
    ModelFiles files = polled.files(version);
    ModelConfiguration configuration =
        completion.complete(
            polled.directory(),
            polled.config(),
            config -> backend.complete(files, config),
            backend::defaultInstanceCount,
            backend.gpus());
    rejectNativeStrategy(configuration.settings());
    return configuration;
  }

  private LoadedModel load(Backend backend, PolledModel polled, long version, long begin) {
    Clock clock = settings.clock();
    ModelDirectory directory = polled.directory();
    ModelFiles files = polled.files(version);
    ModelConfiguration configuration = configuration(backend, polled, version);
    var initialStates = InitialStates.read(directory, configuration.settings());
    var labels = LabelFile.readAll(directory, configuration.message());
    String warning = warning(backend, configuration.settings());
    var key = new ModelKey(polled.name(), version);
    var parts = new PartModels(polled, part -> part(part, version));
    CallingModel calling = calling(polled.id(), configuration.settings(), parts);
    var own = new ModelOwnCalls(calling, key, holdsResources(configuration), parts::load);
    Model model = load(backend, files, configuration.settings(), own, parts);
    ModelStatistics statistics =
        settings.serving().latencies().statistics(polled.id(), key, configuration.message(), clock);
    try {
      Optional<HostAllocator> allocator = model.inputAllocator();
      BufferPool inputPool =
          allocator
              .<BufferPool>map(memory -> new SlabPool(memory, settings.serving().maxPoolByteSize()))
              .orElse(settings.pool());
      try {
        var runtime =
            InstanceRuntime.open(
                new InstanceGroup.Settings(
                    new ExecutedModel(
                        configuration.settings(),
                        model,
                        statistics,
                        calling,
                        settings.pool(),
                        inputPool,
                        initialStates),
                    settings.serving().instances(),
                    warmup(key, directory, configuration)),
                configuration.instances(),
                clock,
                new InstanceRuntime.Surroundings(
                    settings.serving().queueLimits(),
                    settings.journal(),
                    /* ownsInputPool= */ allocator.isPresent(),
                    warning,
                    canCall(polled.id(), configuration.settings().calls()),
                    own,
                    parts));
        statistics.loaded(clock.nanos() - begin, System.currentTimeMillis());
        return new LoadedModel(
            key,
            configuration,
            labels,
            runtime,
            statistics,
            settings.caching(statistics),
            settings.admission());
      } catch (RuntimeException | Error failure) {
        if (allocator.isPresent()) {
          inputPool.close();
        }
        throw failure;
      }
    } catch (RuntimeException | Error failure) {
      own.cancel();
      try {
        model.close();
      } catch (InferenceException alsoFailed) {
        failure.addSuppressed(alsoFailed);
      }
      own.close();
      parts.close();
      throw failure;
    }
  }

  private static Model load(
      Backend backend, ModelFiles files, ModelConfig config, ModelOwnCalls own, PartModels parts) {
    try {
      return backend.load(files, config, own);
    } catch (RuntimeException | Error failure) {
      own.close();
      parts.close();
      throw failure;
    } finally {
      parts.end();
    }
  }

  /** A part is completed also where the configurations of the repository are not. */
  private LoadedModel part(PolledModel part, long version) {
    ConfigSettings completing =
        new ConfigSettings(true, Optional.empty(), completion.settings().limits());
    return new ModelLoader(settings, registry, new ModelConfigCompletion(completing), 0)
        .load(part, version);
  }

  private boolean holdsResources(ModelConfiguration configuration) {
    return !settings.serving().instances().rates().equals(RateLimiter.OFF)
        && configuration.instances().stream()
            .anyMatch(instance -> !instance.rateLimiter().resources().isEmpty());
  }

  private static String warning(Backend backend, ModelConfig config) {
    List<String> warnings = backend.warnings(config);
    warnings.forEach(warning -> LOG.log(Level.WARNING, "{0}", warning));
    return String.join("; ", warnings);
  }

  private BooleanSupplier canCall(ModelId id, List<String> called) {
    return () -> called.stream().allMatch(name -> registry.callable().isHealthy(id, name));
  }

  private CallingModel calling(ModelId id, ModelConfig config, PartModels parts) {
    Set<String> names = Set.copyOf(config.calls());
    CalledModels called =
        (name, version) -> {
          Optional<LoadedModel> part = parts.enter(name);
          if (part.isPresent()) {
            return part.get();
          }
          if (!names.contains(name)) {
            throw CallingModel.undeclared(config.name(), name, config.calls());
          }
          return registry.callable().enter(id, name, version);
        };
    return new CallingModel(config.name(), called, settings.clock()::nanos);
  }

  private static Warmup warmup(
      ModelKey key, ModelDirectory directory, ModelConfiguration configuration) {
    var declared = configuration.message().getModelWarmupList();
    return new Warmup(key, configuration.settings(), declared, directory::fileInside);
  }

  /**
   * Rejects a model with a native batching library, since batching by other rules than the
   * library's could make responses wrong.
   *
   * @throws InferenceException UNSUPPORTED
   */
  public static void rejectNativeStrategy(ModelConfig config) {
    String library = config.parameters().get(NATIVE_STRATEGY);
    if (library != null) {
      throw InferenceException.unsupported(
          ("model '%s': parameter '%s' names the native library '%s', which this server cannot"
                  + " load; a backend decides by its BatchingStrategy which requests share a batch")
              .formatted(config.name(), NATIVE_STRATEGY, library));
    }
  }
}
