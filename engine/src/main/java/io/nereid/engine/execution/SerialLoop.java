package io.nereid.engine.execution;

import io.nereid.engine.execution.batch.BatchExecutions;
import io.nereid.engine.execution.batch.DispatchedBatch;
import io.nereid.engine.execution.batch.ExecutionMeter;
import io.nereid.spi.ModelInstance;
import org.jspecify.annotations.Nullable;

/**
 * What the thread of an instance does while it serves one batch after the other: it executes each
 * batch that is dispatched to it, and reports that. For short batches the instance may be lent to a
 * thread that awaits the response, which executes them in place of the instance's thread.
 */
final class SerialLoop {
  /** The most batches that a thread executes in a row which needs the response to one. */
  private static final int MAX_LENT_BATCHES = 2;

  /** The longest execution for which a connection's thread keeps its carrier or event loop. */
  private static final long SHORT_NANOS = 200_000;

  /**
   * How much longer than an unexpectedly long execution no other is expected to be short. That of a
   * {@link ModelInstance#hasBoundedTime bounded} instance was interrupted: it says nothing to a
   * thread for which no others wait.
   */
  private static final int PAUSE_FACTOR = 50;

  /** The longest execution without such a pause: some are interrupted. */
  private static final long TOLERATED_NANOS = 4 * SHORT_NANOS;

  private final Instance instance;
  private final ModelInstance opened;
  private final BatchExecutions executions;
  private final ExecutionMeter meter;
  private final InstanceReports reports;

  /** Whether a thread for which others wait may execute batches. */
  private final boolean bounded;

  /** The largest inputs since a batch was long, or asked for more; null if that was the last. */
  private volatile @Nullable InputSizes known;

  /** Whether the last batch was executed in a short time. */
  private volatile boolean isShort;

  /** Whether the last batch is still to be reported as executed. */
  private volatile boolean owesReport;

  /** When a batch may be expected to be short again, by the clock of the meter. */
  private volatile long pausedUntil;

  SerialLoop(
      Instance instance,
      ModelInstance opened,
      BatchExecutions executions,
      ExecutionMeter meter,
      InstanceReports reports) {
    this.instance = instance;
    this.opened = opened;
    this.executions = executions;
    this.meter = meter;
    this.reports = reports;
    this.bounded = opened.hasBoundedTime();
    this.pausedUntil = meter.now();
  }

  /** Returns once the instance is to close. Called by the instance's thread. */
  void run() {
    InstanceInbox inbox = instance.inbox;
    while (true) {
      if (inbox.takeDispatched()) {
        execute();
      } else if (owesReport && !instance.detached.isFull() && !inbox.isLent()) {
        owesReport = false;
        reports.executed(meter.computeEnd());
      } else if (inbox.takeWoken()) {
        reports.ready();
      } else if (inbox.isStopped()
          && !instance.permit.isAllocated()
          && !inbox.isLent()
          && instance.detached.size() == 0) {
        return;
      } else {
        inbox.park();
      }
    }
  }

  /**
   * Lends the instance to the calling thread, if its next batch will probably be executed in a
   * short time. From any thread. Where that was wrong by more than an interruption explains, at
   * most a fiftieth of all time is spent.
   */
  boolean lend(boolean isShared) {
    boolean isPaused = meter.now() - pausedUntil < 0;
    return (isShared ? bounded && !isPaused : bounded || !isPaused)
        && isShort
        && instance.inbox.lend();
  }

  /** Executes what is dispatched to the instance; called by the thread that it is lent to. */
  void runLent() {
    InstanceInbox inbox = instance.inbox;
    try {
      if (inbox.takeWoken()) {
        reports.ready();
      }
      for (int i = 0; i < MAX_LENT_BATCHES && isNextShort(); i++) {
        if (inbox.takeDispatched()) {
          execute();
        }
      }
    } finally {
      inbox.giveBack();
      if (owesReport) {
        inbox.unparkAny();
      }
    }
  }

  /** Whether a batch is dispatched that is no larger than one that was short, and wants no more. */
  private boolean isNextShort() {
    return instance.inbox.isDispatched() && isShort && isKnown(instance.batch());
  }

  /** Executes the batch whose dispatch was taken. */
  private void execute() {
    DispatchedBatch batch = executions.dispatched();
    InputSizes sizes = isKnown(batch) ? known : InputSizes.of(batch);
    executions.run(opened);
    expectAfter(meter.computeEnd() - meter.start(), sizes);
    if (executions.isCutShort()) {
      reports.cutShort();
    }
    if (instance.detached.isFull()) {
      owesReport = true; // the instance's thread reports once there is room for another batch
    } else {
      reports.executed(meter.computeEnd());
    }
  }

  private void expectAfter(long nanos, @Nullable InputSizes sizes) {
    boolean wasShort = nanos < SHORT_NANOS;
    known = wasShort ? sizes : null;
    if (wasShort == isShort) {
      return;
    }
    if (nanos > TOLERATED_NANOS) {
      pausedUntil = meter.computeEnd() + PAUSE_FACTOR * nanos;
    }
    isShort = wasShort;
  }

  private boolean isKnown(DispatchedBatch batch) {
    InputSizes sizes = known;
    return sizes != null && sizes.cover(batch);
  }
}
