package io.nereid.benchmarks.micro;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.engine.call.CallingModel;
import io.nereid.engine.execution.InstanceGroup;
import io.nereid.engine.execution.InstanceLimits;
import io.nereid.engine.execution.batch.ExecutedModel;
import io.nereid.engine.execution.warmup.Warmup;
import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.engine.memory.SlabPool;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.scheduling.DecisionJournal;
import io.nereid.engine.scheduling.Scheduler;
import io.nereid.engine.scheduling.SchedulerLoop;
import io.nereid.engine.scheduling.SystemClock;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.telemetry.statistics.ModelStatistics;
import io.nereid.engine.telemetry.statistics.latency.LatencyRecording;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.spi.Model;
import java.util.List;
import java.util.Map;

/** A model with one instance, behind its scheduler. One thread submits requests. */
final class ScheduledModel implements AutoCloseable {
  private static final int CAPACITY = 4_096;
  private static final long POOL_BYTES = 1L << 30;

  private final SlabPool pool = new SlabPool(new ArenaAllocator(), POOL_BYTES);
  private final SystemClock clock = SystemClock.start();
  private final ResponseCounter responses = new ResponseCounter();
  private final Model model;
  private final InstanceGroup instances;
  private final Scheduler scheduler;
  private long submitted;

  /**
   * Opens the instance.
   *
   * @param model owned by the new object
   */
  ScheduledModel(ModelKey key, ModelConfig config, Model model) {
    this.model = model;
    instances =
        InstanceGroup.open(
            new InstanceGroup.Settings(
                new ExecutedModel(
                    config,
                    model,
                    new ModelStatistics("", key, Map.of(), false, LatencyRecording.NONE),
                    new CallingModel(
                        key.name(),
                        (called, _) -> {
                          throw new IllegalStateException("%s is called".formatted(called));
                        },
                        clock::nanos),
                    pool,
                    pool,
                    Map.of()),
                InstanceLimits.NONE,
                Warmup.none(config)),
            List.of(
                new InstanceSettings(
                    key.name() + "_0", InstanceSettings.Kind.KIND_CPU, 0, List.of(), false)));
    scheduler =
        SchedulerLoop.start(instances, clock, QueueLimits.of(CAPACITY), DecisionJournal.NONE);
  }

  /** A request of one row, whose response is counted. */
  PendingRequest pending(InferenceRequest request) {
    return new PendingRequest(
        request,
        1,
        List.of(),
        () -> {},
        new ResponsePromise(responses),
        clock.nanos(),
        Long.MAX_VALUE);
  }

  /**
   * Submits requests, of which {@code most} wait for their responses at a time, and waits for the
   * last response; returns the number of all so far.
   */
  long execute(InferenceRequest request, int count, int most) {
    for (int i = 0; i < count; i++) {
      while (submitted - responses.count() >= most) {
        Thread.onSpinWait();
      }
      scheduler.submit(pending(request));
      submitted++;
    }
    while (responses.count() < submitted) {
      Thread.onSpinWait();
    }
    return submitted;
  }

  @Override
  public void close() {
    scheduler.close();
    instances.close();
    model.close();
    clock.close();
    pool.close();
  }
}
