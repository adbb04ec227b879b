package io.nereid.engine;

import io.nereid.engine.model.control.ControlSettings;
import io.nereid.engine.model.loading.ServingSettings;
import io.nereid.engine.model.repository.Repositories;
import io.nereid.engine.plugin.PluginSettings;
import io.nereid.engine.scheduling.journal.JournalFile;
import io.nereid.engine.telemetry.ClientSettings;
import io.nereid.engine.telemetry.trace.TraceSettings;
import io.nereid.spi.BackendProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What an engine is made of.
 *
 * @param executionLimit executions that take longer are logged, and their models are not ready
 *     meanwhile; zero to watch none
 * @param collectsGarbage whether the engine has the JVM collect garbage once it is idle; for a
 *     process that serves and does nothing else
 */
public record EngineSettings(
    Models models,
    Memory memory,
    Plugins plugins,
    ServingSettings serving,
    Duration executionLimit,
    Telemetry telemetry,
    boolean collectsGarbage) {
  /**
   * Which models there are.
   *
   * @param repositories directories, or locations of object stores with their schemes; at least one
   * @param bareModel the name of the model whose files are in the only repository, without a layout
   * @param objectStores for repositories in object stores
   */
  public record Models(
      List<String> repositories,
      Optional<String> bareModel,
      Repositories.Settings objectStores,
      ControlSettings control) {
    public Models {
      repositories = List.copyOf(repositories);
      if (repositories.isEmpty()) {
        throw new IllegalArgumentException("an engine needs a model repository");
      }
    }
  }

  /**
   * What requests may take.
   *
   * @param maxStringElements the most elements of an input of strings
   * @param maxRegions the most shared memory regions of clients; 0 to have none
   */
  public record Memory(int maxStringElements, int maxRegions) {}

  /**
   * Where optional jars are, and their settings.
   *
   * @param backends by backend and key; those of all backends have the empty name
   * @param cache of the response cache that is used, if there is one
   * @param own backends of the program, in place of those that are found under their names
   */
  public record Plugins(PluginSettings backends, PluginSettings cache, List<BackendProvider> own) {
    public Plugins {
      own = List.copyOf(own);
    }
  }

  /**
   * What is recorded.
   *
   * @param traces of requests that a front end has sampled
   * @param traceExporters the directory of their jars
   * @param clientSettings what clients may change of the settings of traces
   * @param journal the file for every decision of the schedulers
   * @param watchesDecisions whether the decisions on a model can be watched for a minute
   */
  public record Telemetry(
      TraceSettings traces,
      Path traceExporters,
      ClientSettings clientSettings,
      Optional<JournalFile> journal,
      boolean watchesDecisions) {}

  /** Requests that may wait for a model's instances before the next one is rejected. */
  public static final int QUEUE_CAPACITY = 4096;
}
