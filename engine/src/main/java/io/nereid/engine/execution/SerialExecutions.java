package io.nereid.engine.execution;

import io.nereid.engine.thread.ThreadGuard;
import io.nereid.spi.ModelInstance;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What an instance does while it serves one batch after the other: it executes a batch and reports
 * that. Used by the instance's thread, or in its place by a thread that the instance is lent to.
 */
final class SerialExecutions {
  /** The longest execution for which a connection's thread keeps its carrier or event loop. */
  private static final long SHORT_NANOS = 200_000;

  /** How much longer than an unexpectedly long execution no other is expected to be short. */
  private static final int PAUSE_FACTOR = 50;

  /** The longest execution without such a pause: some are interrupted. */
  private static final long TOLERATED_NANOS = 4 * SHORT_NANOS;

  private final ModelInstance instance;
  private final InstanceExecutions executions;
  private final ExecutionMeter meter;

  private final ThreadGuard guard;
  private final DetachedRequests detached;
  private final Runnable reportCutShort;
  private final Runnable reportExecuted;

  /** The largest inputs since a batch was long; null if that was the last one. */
  private volatile @Nullable InputSizes known;

  /** Whether the last batch was executed in a short time. */
  private volatile boolean isShort;

  /** Whether the last batch is still to be reported as executed. */
  private volatile boolean owesReport;

  /** When a batch may be expected to be short again, by the clock of the meter. */
  private volatile long pausedUntil;

  /**
   * @param number the instance's number in its group
   * @param listener the group's scheduler
   * @param guard that of the instance's thread
   * @param detached those of the instance
   */
  SerialExecutions(
      ModelInstance instance,
      int number,
      InstanceExecutions executions,
      ExecutionMeter meter,
      Supplier<ExecutionListener> listener,
      ThreadGuard guard,
      DetachedRequests detached) {
    this.instance = instance;
    this.executions = executions;
    this.meter = meter;
    this.guard = guard;
    this.detached = detached;
    this.reportCutShort = () -> listener.get().cutShort(number);
    this.reportExecuted = () -> listener.get().executed(number, meter.computeEnd());
    this.pausedUntil = meter.now();
  }

  /** Executes the batch whose dispatch was taken. */
  void run() {
    Execution batch = executions.execution();
    InputSizes sizes = isKnown(batch) ? known : InputSizes.of(batch);
    executions.run(instance);
    expectAfter(meter.computeEnd() - meter.start(), sizes);
    if (executions.isCutShort()) {
      guard.runUntilDone(reportCutShort);
    }
    if (detached.isFull()) {
      owesReport = true; // the instance's thread reports once there is room for another batch
    } else {
      guard.runUntilDone(reportExecuted); // or the scheduler would wait for ever
    }
  }

  /** Whether {@link #report} is to be called. */
  boolean owesReport() {
    return owesReport;
  }

  /** Reports the last batch, by the instance's thread. */
  void report() {
    owesReport = false;
    guard.runUntilDone(reportExecuted);
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

  private boolean isKnown(Execution batch) {
    InputSizes sizes = known;
    return sizes != null && sizes.cover(batch);
  }

  /** Whether a batch will probably be executed in a short time; by the thread it belongs to. */
  boolean isShort(Execution batch) {
    return isShort && isKnown(batch);
  }

  /**
   * Whether the next batch will probably be executed in a short time. From any thread. Where this
   * was wrong by more than an interruption explains, at most a fiftieth of all time is spent.
   */
  boolean isShort() {
    return isShort && meter.now() - pausedUntil >= 0;
  }
}
