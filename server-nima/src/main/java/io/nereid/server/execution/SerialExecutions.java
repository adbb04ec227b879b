package io.nereid.server.execution;

import io.nereid.spi.ModelInstance;
import java.util.function.Supplier;

/**
 * What an instance does while it serves one batch after the other: it executes a batch and reports
 * that. Used by the instance's thread, or in its place by a thread that the instance is lent to.
 */
final class SerialExecutions {
  /** The longest execution for which a connection's thread keeps its carrier. */
  private static final long SHORT_NANOS = 50_000;

  /** The most batches that must have been short in a row; takes them seconds. */
  private static final int MAX_SHORT_NEEDED = 1 << 20;

  private final ModelInstance instance;
  private final int number;
  private final InstanceExecutions executions;
  private final ExecutionMeter meter;
  private final InstanceInbox inbox;
  private final Supplier<ExecutionListener> listener;

  /** How many batches in a row were executed in a short time, counted up to those needed. */
  private int shortInARow;

  /** How many must have been, to expect another one; twice as many after each disappointment. */
  private int shortNeeded = 1;

  /** Whether so many were. */
  private volatile boolean isShort;

  /**
   * @param number the instance's number in its group
   * @param listener the group's scheduler
   */
  SerialExecutions(
      ModelInstance instance,
      int number,
      InstanceExecutions executions,
      ExecutionMeter meter,
      InstanceInbox inbox,
      Supplier<ExecutionListener> listener) {
    this.instance = instance;
    this.number = number;
    this.executions = executions;
    this.meter = meter;
    this.inbox = inbox;
    this.listener = listener;
  }

  /** Executes the batch whose dispatch was taken. */
  void run() {
    executions.run(instance);
    expectAfter(meter.computeEnd() - meter.start() < SHORT_NANOS);
    inbox.clearDispatched();
    if (executions.isCutShort()) {
      listener.get().cutShort(number);
    }
    listener.get().executed(number, meter.computeEnd());
  }

  private void expectAfter(boolean wasShort) {
    if (!wasShort) {
      shortInARow = 0;
      if (isShort) {
        shortNeeded = Math.min(2 * shortNeeded, MAX_SHORT_NEEDED);
        isShort = false;
      }
    } else if (!isShort) {
      shortInARow++;
      isShort = shortInARow == shortNeeded;
    }
  }

  /** Whether the next batch will probably be executed in a short time. From any thread. */
  boolean isShort() {
    return isShort;
  }
}
