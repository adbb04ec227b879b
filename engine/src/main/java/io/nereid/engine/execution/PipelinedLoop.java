package io.nereid.engine.execution;

import io.nereid.engine.execution.batch.DetachedRequests;

/**
 * What the thread of a pipelined instance does while it serves: it starts each batch that is
 * dispatched to it, and finishes those in flight. It reports ready whenever it can start another
 * one.
 *
 * <p>Nothing wakes the thread when the device has done something. If no other batch may be started,
 * the thread waits in {@link Pipeline#finish}. Otherwise it asks the device now and then and sleeps
 * in between, so that it notices a dispatched batch, which ends the sleep. Without a batch in
 * flight it is parked.
 */
final class PipelinedLoop {
  /** How often the thread asks the device before it sleeps in between. */
  private static final int SPINS = 64;

  /** By how much each sleep is longer than the one before. */
  private static final long SLEEP_NANOS = 2_000;

  private static final long MAX_SLEEP_NANOS = 200_000;

  private final InstanceInbox inbox;
  private final DetachedRequests detached;
  private final Pipeline pipeline;
  private final InstanceReports reports;

  /** Whether the scheduler regards the instance as idle, woken or ready. */
  private boolean available = true;

  /** How often the thread has waited since a batch was started or finished. */
  private int waits;

  PipelinedLoop(Instance instance, Pipeline pipeline, InstanceReports reports) {
    this.inbox = instance.inbox;
    this.detached = instance.detached;
    this.pipeline = pipeline;
    this.reports = reports;
  }

  /** Returns once the instance is to close and every batch is finished. */
  void run() {
    while (true) {
      if (inbox.takeDispatched()) {
        start();
      } else if (!detached.isFull() && inbox.takeWoken()) {
        reports.ready();
      } else if (!available && canStart()) {
        available = true;
        reports.ready();
      } else if (!pipeline.isEmpty()) {
        finishOrWait();
      } else if (inbox.isStopped() && detached.size() == 0) {
        return;
      } else {
        inbox.park();
      }
    }
  }

  private void start() {
    waits = 0;
    available = false;
    if (pipeline.start()) {
      inbox.fillNext(pipeline.next());
    } else {
      reportEnd(pipeline.failedEnd());
    }
  }

  private boolean canStart() {
    return !detached.isFull() && pipeline.canStart();
  }

  private void finishOrWait() {
    if (pipeline.isFull() || pipeline.isFinished() || inbox.isStopped()) {
      waits = 0;
      reportEnd(pipeline.finish());
    } else if (waits < SPINS) {
      waits++;
      Thread.onSpinWait();
    } else {
      waits++;
      long nanos = Math.min(MAX_SLEEP_NANOS, (waits - SPINS) * SLEEP_NANOS);
      inbox.parkBusy(nanos);
    }
  }

  private void reportEnd(long endNanos) {
    if (pipeline.isCutShort()) {
      reports.cutShort();
    }
    if (!available && canStart()) {
      available = true;
      reports.executed(endNanos);
    } else {
      reports.finished(endNanos);
    }
  }
}
