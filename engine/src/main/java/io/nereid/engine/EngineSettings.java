package io.nereid.engine;

import io.nereid.engine.execution.affinity.HostPolicies;
import io.nereid.engine.execution.ratelimit.RateLimiter;
import io.nereid.engine.memory.MemorySettings;
import io.nereid.engine.model.control.ControlSettings;
import io.nereid.engine.model.loading.LatencyMetrics;
import io.nereid.engine.model.repository.Repositories;
import io.nereid.engine.plugin.PluginSettings;
import io.nereid.engine.scheduling.journal.JournalFile;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.telemetry.ClientSettings;
import io.nereid.engine.telemetry.trace.TraceSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What an engine is made of.
 *
 * @param repositories directories, or locations of object stores with their schemes; at least one
 * @param bareModel the name of the model whose files are in the only repository, without a layout
 * @param objectStores for repositories in object stores
 * @param control of the models
 * @param memory its limits
 * @param maxStringElements the most elements of an input of strings
 * @param backends where their jars are, and their settings by backend and key; those of all
 *     backends have the empty name
 * @param cache where the jars of response caches are, and the settings of the one that is used, if
 *     there is one
 * @param queueLimits of the requests that wait for a model
 * @param limiter shared by the instances of all models; of this engine alone
 * @param hostPolicies of the threads of instances
 * @param maxDetached from so many detached requests on, an instance begins no batch; at least 1
 * @param executionLimit executions that take longer are logged, and their models are not ready
 *     meanwhile; zero to watch none
 * @param latencies which are recorded beside their sums
 * @param traces of requests that a front end has sampled
 * @param traceExporters the directory of their jars
 * @param clientSettings what clients may change of the settings of traces
 * @param journal the file for every decision of the schedulers
 * @param maxRegions the most shared memory regions of clients; 0 to have none
 * @param collectsGarbage whether the engine has the JVM collect garbage once it is idle; for a
 *     process that serves and does nothing else
 */
public record EngineSettings(
    List<String> repositories,
    Optional<String> bareModel,
    Repositories.Settings objectStores,
    ControlSettings control,
    MemorySettings memory,
    int maxStringElements,
    PluginSettings backends,
    PluginSettings cache,
    QueueLimits queueLimits,
    RateLimiter limiter,
    HostPolicies hostPolicies,
    int maxDetached,
    Duration executionLimit,
    LatencyMetrics latencies,
    TraceSettings traces,
    Path traceExporters,
    ClientSettings clientSettings,
    Optional<JournalFile> journal,
    int maxRegions,
    boolean collectsGarbage) {
  /** Requests that may wait for a model's instances before the next one is rejected. */
  public static final int QUEUE_CAPACITY = 4096;

  public EngineSettings {
    repositories = List.copyOf(repositories);
    if (repositories.isEmpty()) {
      throw new IllegalArgumentException("an engine needs a model repository");
    }
  }
}
