package io.nereid.engine.execution;

import io.nereid.engine.thread.ThreadGuard;
import java.util.function.Supplier;

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

  private final int number;
  private final InstanceInbox inbox;
  private final Pipeline pipeline;
  private final Supplier<ExecutionListener> listener;
  private final ThreadGuard guard;
  private final DetachedRequests detached;
  private final Runnable reportReady;

  /** Whether the scheduler regards the instance as idle, woken or ready. */
  private boolean available = true;

  /** How often the thread has waited since a batch was started or finished. */
  private int waits;

  /**
   * @param number the instance's number in its group
   * @param listener the group's scheduler
   * @param guard that of the instance's thread
   * @param detached those of the instance
   */
  PipelinedLoop(
      int number,
      InstanceInbox inbox,
      Pipeline pipeline,
      Supplier<ExecutionListener> listener,
      ThreadGuard guard,
      DetachedRequests detached) {
    this.number = number;
    this.inbox = inbox;
    this.pipeline = pipeline;
    this.listener = listener;
    this.guard = guard;
    this.detached = detached;
    this.reportReady = () -> listener.get().ready(number);
  }

  /** Returns once the instance is to close and every batch is finished. */
  void run() {
    while (true) {
      if (inbox.takeDispatched()) {
        start();
      } else if (!detached.isFull() && inbox.takeWoken()) {
        report(reportReady);
      } else if (!available && canStart()) {
        available = true;
        report(reportReady);
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
      report(() -> listener.get().cutShort(number));
    }
    if (!available && canStart()) {
      available = true;
      report(() -> listener.get().executed(number, endNanos));
    } else {
      report(() -> listener.get().finished(number, endNanos));
    }
  }

  /** Reports to the scheduler, which would otherwise wait for ever. */
  private void report(Runnable report) {
    guard.runUntilDone(report);
  }
}
