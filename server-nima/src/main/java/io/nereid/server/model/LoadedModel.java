package io.nereid.server.model;

import io.nereid.config.ModelConfig;
import io.nereid.request.ModelKey;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.model.config.ModelConfiguration;
import io.nereid.server.model.config.conversion.ModelConfigJsonWriter;
import io.nereid.server.request.validation.RequestValidator;
import io.nereid.server.scheduling.Scheduler;
import io.nereid.server.scheduling.ensemble.ComposingModel;
import io.nereid.server.telemetry.statistics.ModelStatistics;
import io.nereid.server.telemetry.statistics.StatisticsSnapshot;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A version of a model that serves: its configuration, and what runs its requests. From any thread.
 * A request enters before it is queued and leaves when it has ended, so that {@link #close} can
 * wait for the last one.
 */
public final class LoadedModel implements ComposingModel, AutoCloseable {
  /** Added to {@link #inFlight} once nobody may enter any more. */
  private static final long CLOSED = Long.MIN_VALUE;

  private final ModelKey key;
  private final ModelConfiguration configuration;
  private final Map<String, LabelFile> labels;
  private final ModelRuntime runtime;
  private final ModelStatistics statistics;
  private final RequestValidator validator;
  private final AtomicLong inFlight = new AtomicLong();

  /**
   * @param labels of outputs that have some, by output name
   * @param runtime closed with the model
   */
  LoadedModel(
      ModelKey key,
      ModelConfiguration configuration,
      Map<String, LabelFile> labels,
      ModelRuntime runtime,
      ModelStatistics statistics) {
    this.key = key;
    this.configuration = configuration;
    this.labels = labels;
    this.runtime = runtime;
    this.statistics = statistics;
    this.validator = new RequestValidator(configuration.settings());
  }

  @Override
  public ModelKey key() {
    return key;
  }

  @Override
  public ModelConfig config() {
    return configuration.settings();
  }

  /** The completed configuration, as gRPC shows it. */
  public io.nereid.server.protobuf.ModelConfig configMessage() {
    return configuration.message();
  }

  /** The completed configuration, as HTTP shows it. */
  public String configJson() {
    return ModelConfigJsonWriter.write(configuration.message());
  }

  /** What the metadata call the platform: the backend, if the configuration names no platform. */
  public String platform() {
    return config().platform().isEmpty() ? config().backend() : config().platform();
  }

  /** The labels of an output's classes; none if it has no label file. */
  public LabelFile labels(String output) {
    return labels.getOrDefault(output, LabelFile.NONE);
  }

  /** Checks requests before they are queued. */
  public RequestValidator validator() {
    return validator;
  }

  public Scheduler scheduler() {
    return runtime.scheduler();
  }

  /** What this version has done so far. */
  public StatisticsSnapshot statistics() {
    return statistics.snapshot(Math.max(0, inFlight.get()));
  }

  ModelRuntime runtime() {
    return runtime;
  }

  /** Where this model's inputs are best decoded to. */
  public BufferPool inputPool() {
    return runtime.inputPool();
  }

  @Override
  public boolean isHealthy() {
    return runtime.isHealthy();
  }

  @Override
  public boolean holdsResources() {
    return runtime.holdsResources();
  }

  /**
   * Counts a request in; false if the model is about to close, and the request must go elsewhere.
   */
  @Override
  public boolean enter() {
    if (inFlight.incrementAndGet() > 0) {
      return true;
    }
    inFlight.decrementAndGet();
    return false;
  }

  /** Counts a request out. */
  @Override
  public void leave() {
    if (inFlight.decrementAndGet() == CLOSED) {
      synchronized (this) {
        notifyAll();
      }
    }
  }

  /** Waits for the requests inside, then closes what runs them. Once. */
  @Override
  public void close() {
    boolean interrupted = false;
    long left = inFlight.addAndGet(CLOSED);
    synchronized (this) {
      while (left != CLOSED) {
        try {
          wait(1_000); // a failed enter() may count down without a word
        } catch (InterruptedException again) {
          interrupted = true; // native memory must not be freed under a running request
        }
        left = inFlight.get();
      }
    }
    runtime.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
