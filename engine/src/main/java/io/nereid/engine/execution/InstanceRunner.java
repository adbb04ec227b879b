package io.nereid.engine.execution;

import io.nereid.config.SchedulingSettings;
import io.nereid.engine.execution.batch.BatchExecutions;
import io.nereid.engine.execution.batch.DispatchedBatch;
import io.nereid.engine.execution.batch.ExecutedModel;
import io.nereid.engine.execution.batch.ExecutingInstance;
import io.nereid.engine.execution.batch.ExecutionMeter;
import io.nereid.engine.execution.ratelimit.InstancePermit;
import io.nereid.engine.execution.warmup.WarmupSample;
import io.nereid.engine.thread.ThreadGuard;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.PipelinedInstance;
import java.util.List;
import java.util.stream.Stream;

/**
 * The thread of one instance: opens it, warms it up, executes the batches dispatched to it, closes
 * it. No other thread calls the instance, except for {@link ModelInstance#isHealthy}, and to
 * execute batches while the instance is lent to that thread.
 */
final class InstanceRunner implements Runnable {
  private final Instance instance;
  private final InstanceGroup group;
  private final ExecutedModel model;
  private final InstanceLimits limits;
  private final int number;

  /** What the thread executes before the instance is open; dropped then. */
  private List<WarmupSample> samples;

  InstanceRunner(Instance instance, InstanceGroup group, int number, List<WarmupSample> samples) {
    this.instance = instance;
    this.group = group;
    this.model = group.model();
    this.limits = group.settings().limits();
    this.number = number;
    this.samples = samples;
  }

  @Override
  public void run() {
    String name = instance.settings().name();
    var guard = new ThreadGuard("instance " + name);
    var health = new InstanceHealth(model.config().name(), name, group::fail);
    try (InstancePermit permit = instance.permit) {
      instance.awaitAllocation();
      ModelInstance opened;
      try {
        limits.hostPolicies().apply(instance.settings().hostPolicy());
        opened = model.model().open(instance.settings());
      } catch (Throwable failed) { // also an Error: awaitOpen() waits for the outcome
        instance.fail(failed);
        return;
      } finally {
        instance.endOpening();
      }
      permit.release(false);
      serve(opened, new InstanceReports(group, number, guard), health);
    } catch (Throwable bug) { // also an Error: others wait for this thread
      guard.failed(bug);
      instance.fail(bug);
      health.ended(bug);
    }
  }

  private void serve(ModelInstance opened, InstanceReports reports, InstanceHealth health) {
    try (opened) {
      if (isWarm(opened)) {
        if (opened instanceof PipelinedInstance pipelined && canPipeline(pipelined)) {
          executePipelined(pipelined, reports, health);
        } else {
          executeBatches(opened, reports, health);
        }
      }
      instance.awaitAllocation();
    }
  }

  /** Executes the warm-up; returns whether it succeeded. */
  private boolean isWarm(ModelInstance opened) {
    try {
      var warmup = new InstanceWarmup(model, instance, meter());
      samples.forEach(sample -> warmup.execute(opened, sample));
      return true;
    } catch (Throwable failed) { // also an Error: awaitOpen() waits for the outcome
      instance.fail(failed);
      return false;
    } finally {
      samples = List.of();
      Thread.interrupted(); // by retire(); what closes the instance may wait
    }
  }

  private ExecutionMeter meter() {
    return new ExecutionMeter(model.clock(), instance.statistics());
  }

  private void executeBatches(
      ModelInstance opened, InstanceReports reports, InstanceHealth health) {
    ExecutionMeter meter = meter();
    try (var executions = executions(instance.batch(), meter, health)) {
      var loop = new SerialLoop(instance, opened, executions, meter, reports);
      instance.serve(opened, List.of(meter), canLend(opened) ? loop : null);
      loop.run();
    }
  }

  private BatchExecutions executions(
      DispatchedBatch filled, ExecutionMeter meter, InstanceHealth health) {
    var executing =
        new ExecutingInstance(
            instance.settings().name(),
            instance.holdsResources(),
            instance.detached,
            health::failure,
            health::batchFailed,
            this::returned,
            request -> group.listener().rescheduled(request));
    return new BatchExecutions(model, executing, filled, meter);
  }

  /**
   * Whether a thread with a request may execute it. Batches grow while an instance's thread wakes,
   * so those of a batching scheduler are left to it.
   */
  private boolean canLend(ModelInstance opened) {
    return opened.runsOnAnyThread()
        && model.config().scheduling() instanceof SchedulingSettings.Direct
        && !limits.hasRates()
        && !limits.hostPolicies().has(instance.settings().hostPolicy())
        && !model.config().decoupled();
  }

  /** Whether batches do not depend on those in flight: on their states, responses or resources. */
  private boolean canPipeline(PipelinedInstance opened) {
    return opened.depth() > 1
        && !limits.hasRates()
        && model.config().sequence().isEmpty()
        && !model.config().decoupled();
  }

  private void executePipelined(
      PipelinedInstance opened, InstanceReports reports, InstanceHealth health) {
    List<ExecutionMeter> meters = Stream.generate(this::meter).limit(opened.depth()).toList();
    List<BatchExecutions> executions =
        meters.stream().map(meter -> executions(new DispatchedBatch(), meter, health)).toList();
    try (var pipeline = new Pipeline(opened, executions)) {
      instance.inbox.fillNext(pipeline.next());
      instance.serve(opened, meters, null);
      new PipelinedLoop(instance, pipeline, reports).run();
    }
  }

  /** Releases the permit once the backend has returned, before requests are responded to. */
  private void returned() {
    instance.permit.release(!instance.detached.isFull() && group.listener().hasWaiting());
  }
}
