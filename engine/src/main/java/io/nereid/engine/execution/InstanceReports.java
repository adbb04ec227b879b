package io.nereid.engine.execution;

import io.nereid.engine.thread.ThreadGuard;

/**
 * What one instance reports to its scheduler. A report that fails is repeated, since the scheduler
 * would otherwise wait for ever. Used by the instance's thread, or in its place by a thread that
 * the instance is lent to.
 */
final class InstanceReports {
  private final ThreadGuard guard;
  private final Runnable ready;
  private final Runnable cutShort;
  private final Runnable executed;
  private final Runnable finished;

  /** When the computation ended of the batch that is reported. */
  private long endNanos;

  /**
   * @param number the instance's number in its group
   * @param guard that of the instance's thread
   */
  InstanceReports(InstanceGroup group, int number, ThreadGuard guard) {
    this.guard = guard;
    this.ready = () -> group.listener().ready(number);
    this.cutShort = () -> group.listener().cutShort(number);
    this.executed = () -> group.listener().executed(number, endNanos);
    this.finished = () -> group.listener().finished(number, endNanos);
  }

  /** See {@link ExecutionListener#ready}. */
  void ready() {
    guard.runUntilDone(ready);
  }

  /** See {@link ExecutionListener#cutShort}. */
  void cutShort() {
    guard.runUntilDone(cutShort);
  }

  /** See {@link ExecutionListener#executed}. */
  void executed(long ofEndNanos) {
    endNanos = ofEndNanos;
    guard.runUntilDone(executed);
  }

  /** See {@link ExecutionListener#finished}. */
  void finished(long ofEndNanos) {
    endNanos = ofEndNanos;
    guard.runUntilDone(finished);
  }
}
