package io.nereid.repository;

import io.nereid.config.ModelConfig;
import io.nereid.instance.InstanceGroup;
import io.nereid.memory.BufferPool;
import io.nereid.request.ModelKey;
import io.nereid.scheduler.Scheduler;
import io.nereid.spi.Model;
import io.nereid.statistics.ModelStatistics;
import io.nereid.statistics.StatisticsSnapshot;
import io.nereid.validation.RequestValidator;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A version of a model that serves: its configuration, its instances, and the scheduler in front of
 * them. From any thread. A request enters before it is queued and leaves when it has ended, so that
 * {@link #close} can wait for the last one.
 */
public final class LoadedModel implements AutoCloseable {
  /** Added to {@link #inFlight} once nobody may enter any more. */
  private static final long CLOSED = Long.MIN_VALUE;

  private final ModelKey key;
  private final ModelConfiguration configuration;
  private final Map<String, LabelFile> labels;
  private final Model model;
  private final InstanceGroup instances;
  private final Scheduler scheduler;
  private final ModelStatistics statistics;
  private final RequestValidator validator;
  private final BufferPool inputPool;
  private final boolean ownsInputPool;
  private final AtomicLong inFlight = new AtomicLong();

  /**
   * @param labels of outputs that have some, by output name
   * @param inputPool the memory that this model would have its inputs in
   * @param ownsInputPool whether the pool goes with the model
   */
  LoadedModel(
      ModelKey key,
      ModelConfiguration configuration,
      Map<String, LabelFile> labels,
      Model model,
      InstanceGroup instances,
      Scheduler scheduler,
      ModelStatistics statistics,
      BufferPool inputPool,
      boolean ownsInputPool) {
    this.key = key;
    this.configuration = configuration;
    this.labels = labels;
    this.model = model;
    this.instances = instances;
    this.scheduler = scheduler;
    this.statistics = statistics;
    this.validator = new RequestValidator(configuration.settings());
    this.inputPool = inputPool;
    this.ownsInputPool = ownsInputPool;
  }

  public ModelKey key() {
    return key;
  }

  public ModelConfig config() {
    return configuration.settings();
  }

  /** The completed configuration, as gRPC shows it. */
  public io.nereid.protocol.wire.ModelConfig configMessage() {
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
    return scheduler;
  }

  /** What this version has done so far. */
  public StatisticsSnapshot statistics() {
    return statistics.snapshot(Math.max(0, inFlight.get()));
  }

  InstanceGroup instances() {
    return instances;
  }

  /** Where this model's inputs are best decoded to. */
  public BufferPool inputPool() {
    return inputPool;
  }

  public boolean isHealthy() {
    return instances.isHealthy();
  }

  /**
   * Counts a request in; false if the model is about to close, and the request must go elsewhere.
   */
  public boolean enter() {
    if (inFlight.incrementAndGet() > 0) {
      return true;
    }
    inFlight.decrementAndGet();
    return false;
  }

  /** Counts a request out. */
  public void leave() {
    if (inFlight.decrementAndGet() == CLOSED) {
      synchronized (this) {
        notifyAll();
      }
    }
  }

  /** Waits for the requests inside, then closes instances and model. Once. */
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
    scheduler.close();
    instances.close();
    model.close();
    if (ownsInputPool) {
      inputPool.close();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
