package io.nereid.engine;

import io.nereid.engine.execution.InstanceLimits;
import io.nereid.engine.execution.affinity.HostPolicies;
import io.nereid.engine.execution.ratelimit.RateLimiter;
import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.MemorySettings;
import io.nereid.engine.memory.SlabPool;
import io.nereid.engine.model.Readiness;
import io.nereid.engine.model.config.ConfigSettings;
import io.nereid.engine.model.control.ControlMode;
import io.nereid.engine.model.control.ControlSettings;
import io.nereid.engine.model.control.operation.LoadLimits;
import io.nereid.engine.model.loading.LatencyMetrics;
import io.nereid.engine.model.loading.ServingSettings;
import io.nereid.engine.model.repository.Repositories;
import io.nereid.engine.plugin.PluginSettings;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.telemetry.ClientSettings;
import io.nereid.engine.telemetry.trace.TraceSettings;
import io.nereid.spi.BackendProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Makes an {@link Engine}. What is not set is as the server's command line has it, but for three
 * things: models can be loaded and unloaded by the program, backends are looked for on the class
 * path only, and the garbage collector is left alone. Used by one thread.
 */
public final class EngineBuilder {
  /** The queue of a model takes 40 bytes for each. */
  private static final int MAX_QUEUED_REQUESTS = 1 << 20;

  private static final int LOAD_THREADS = 4;

  private final List<String> repositories = new ArrayList<>();
  private final List<BackendProvider> backends = new ArrayList<>();
  private final Map<String, Map<String, String>> backendSettings = new LinkedHashMap<>();
  private final Map<String, Map<String, String>> cacheSettings = new LinkedHashMap<>();
  private Optional<String> bareModel = Optional.empty();
  private ControlMode control = ControlMode.EXPLICIT;
  private List<String> startupModels = List.of("*");
  private Duration pollInterval = Duration.ofSeconds(15);
  private MemorySettings memory = MemorySettings.ofMachine();
  private Path backendDirectory = PluginSettings.NO_FOLDERS;
  private Path cacheDirectory = PluginSettings.NO_FOLDERS;
  private QueueLimits queue = QueueLimits.of(EngineSettings.QUEUE_CAPACITY);
  private RateLimiter limiter = RateLimiter.OFF;
  private Duration executionLimit = Duration.ZERO;
  private int maxDetached = InstanceLimits.MAX_DETACHED;
  private LoadLimits loadLimits = LoadLimits.DEFAULT;
  private boolean checksMemory;

  EngineBuilder() {}

  /** Adds a directory with models; at least one is needed. */
  public EngineBuilder repository(Path directory) {
    repositories.add(directory.toString());
    return this;
  }

  /**
   * Serves the model file of a folder that has no directories of models and versions, as version 1.
   * It is the only repository.
   *
   * @param name of the model
   */
  public EngineBuilder bareModel(Path directory, String name) {
    bareModel = Optional.of(name);
    return repository(directory);
  }

  /**
   * Loads these models from the start, and others when {@link Engine#load} asks for them. Without a
   * call, all models of the repositories serve from the start.
   */
  public EngineBuilder startWith(String... models) {
    startupModels = List.of(models);
    return this;
  }

  /** Follows the repositories by itself; then {@link Engine#load} and {@code unload} fail. */
  public EngineBuilder poll(Duration interval) {
    control = ControlMode.POLL;
    pollInterval = interval;
    startupModels = List.of();
    return this;
  }

  /** Limits the memory for tensors: of requests, batches and responses. */
  public EngineBuilder maxTensorMemory(long bytes) {
    memory = MemorySettings.ofTensors(bytes);
    return this;
  }

  /**
   * Gives each tensor memory of its own, for tests: an access behind its close throws {@link
   * IllegalStateException} in place of reading the data of another request. Slow, and {@link
   * #maxTensorMemory} does not hold.
   */
  public EngineBuilder checkMemory() {
    checksMemory = true;
    return this;
  }

  /** Also looks for backends in folders of jars, each with a class loader of its own. */
  public EngineBuilder backendDirectory(Path directory) {
    backendDirectory = directory;
    return this;
  }

  /**
   * Also uses a backend of the program, in place of one of its name that is found.
   *
   * @param provider for this engine alone
   */
  public EngineBuilder backend(BackendProvider provider) {
    backends.add(provider);
    return this;
  }

  /**
   * Sets an option of a backend.
   *
   * @param backend its name; empty for all
   */
  public EngineBuilder backendSetting(String backend, String key, String value) {
    backendSettings.computeIfAbsent(backend, _ -> new LinkedHashMap<>()).put(key, value);
    return this;
  }

  /** Also looks for response caches in folders of jars, each with a class loader of its own. */
  public EngineBuilder cacheDirectory(Path directory) {
    cacheDirectory = directory;
    return this;
  }

  /**
   * Uses a response cache for the models that enable it, such as {@code local} with the setting
   * {@code size}, its bytes.
   */
  public EngineBuilder cacheSetting(String cache, String key, String value) {
    cacheSettings.computeIfAbsent(cache, _ -> new LinkedHashMap<>()).put(key, value);
    return this;
  }

  /**
   * Limits the requests that wait for a model's instances.
   *
   * @param requests 1 to 1,048,576; rounded up to a power of two
   */
  public EngineBuilder maxQueuedRequests(int requests) {
    if (requests < 1 || requests > MAX_QUEUED_REQUESTS) {
      throw new IllegalArgumentException(
          "%d queued requests: expected 1 to %d".formatted(requests, MAX_QUEUED_REQUESTS));
    }
    queue = QueueLimits.of(requests == 1 ? 1 : Integer.highestOneBit(requests - 1) << 1);
    return this;
  }

  /** Has the instances of all models share limited resources. */
  public EngineBuilder rateLimiter(RateLimiter newLimiter) {
    limiter = newLimiter;
    return this;
  }

  /**
   * Limits the time in which a backend loads a version of a model, or closes it: 30 minutes if this
   * is not called. A load that takes longer fails, and the thread that waits for the backend is
   * left behind.
   *
   * @param limit zero for none
   */
  public EngineBuilder modelLoadTimeout(Duration limit) {
    loadLimits = new LoadLimits(limit, loadLimits.client());
    return this;
  }

  /**
   * Watches executions: while one takes longer, a line of the log and {@link Engine#index} say so,
   * and its model is not ready. It is not ended. Without a call, none is watched.
   */
  public EngineBuilder warnOfExecutionsLongerThan(Duration limit) {
    executionLimit = limit;
    return this;
  }

  /**
   * Limits the requests that are detached from their execution: an instance that has so many, or
   * more, begins no batch until some of them have ended. Without a call 1000.
   *
   * @param limit at least 1
   */
  public EngineBuilder maxDetachedRequests(int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException(
          "the limit of detached requests must be at least 1, got " + limit);
    }
    maxDetached = limit;
    return this;
  }

  /** The settings as they are now. */
  public EngineSettings settings() {
    var models =
        new EngineSettings.Models(
            repositories,
            bareModel,
            new Repositories.Settings(PluginSettings.NO_FOLDERS, Optional.empty(), System.getenv()),
            new ControlSettings(
                control,
                startupModels,
                pollInterval,
                Readiness.SERVING,
                /* namespacing= */ false,
                new ControlSettings.Loads(LOAD_THREADS, loadLimits, /* retries= */ 0),
                ConfigSettings.DEFAULT));
    return new EngineSettings(
        models,
        new EngineSettings.Memory(MemorySettings.DEFAULT_MAX_STRINGS, /* maxRegions= */ 0),
        new EngineSettings.Plugins(
            new PluginSettings(backendDirectory, backendSettings),
            new PluginSettings(cacheDirectory, cacheSettings),
            backends),
        new ServingSettings(
            memory.maxTensorBytes(),
            queue,
            new InstanceLimits(limiter, HostPolicies.NONE, maxDetached),
            LatencyMetrics.NONE),
        executionLimit,
        new EngineSettings.Telemetry(
            TraceSettings.DEFAULT,
            PluginSettings.NO_FOLDERS,
            ClientSettings.SAFE,
            Optional.empty(),
            /* watchesDecisions= */ false),
        /* collectsGarbage= */ false);
  }

  /**
   * Opens the engine, and loads the models that serve from the start. If that fails, everything
   * that was started has ended.
   *
   * @throws io.nereid.error.InferenceException if a repository cannot be read, or one of the models
   *     cannot be loaded; the message names them, with their reasons
   * @throws IOException if a file cannot be written that the settings name
   */
  public Engine open() throws IOException {
    EngineSettings settings = settings();
    BufferPool pool =
        checksMemory
            ? new CheckedBufferPool()
            : new SlabPool(new ArenaAllocator(), memory.maxTensorBytes());
    return Engine.start(new EngineParts(settings, pool, () -> true));
  }
}
