package io.nereid.server.execution;

import java.util.concurrent.locks.LockSupport;

/**
 * What other threads tell the thread of an instance: that the instance is allocated, that its batch
 * is filled, that it is to close. The thread waits here.
 */
final class InstanceInbox {
  private final Thread thread;

  /** The batch to fill while the instance is ready. */
  private Execution execution = new Execution();

  /** Whether the instance was allocated and has not reported ready since. */
  private volatile boolean woken;

  /** Whether the filled batch is to be executed, or is being executed. */
  private volatile boolean dispatched;

  private volatile boolean stopped;

  InstanceInbox(Thread thread) {
    this.thread = thread;
  }

  /** The batch to fill before {@link #dispatch}, while the instance is ready. */
  Execution execution() {
    return execution;
  }

  /** Sets the batch to fill next; by the thread, before it reports that the instance is ready. */
  void fillNext(Execution next) {
    execution = next;
  }

  /** Tells that the instance is allocated. */
  void wake() {
    woken = true;
    unpark();
  }

  /** Whether {@link #wake} was called since the last call that returned true. */
  boolean takeWoken() {
    boolean taken = woken;
    if (taken) {
      woken = false;
    }
    return taken;
  }

  /** Tells that the batch is filled. */
  void dispatch() {
    dispatched = true;
    unpark();
  }

  /** Whether a filled batch is to be executed. */
  boolean isDispatched() {
    return dispatched;
  }

  /** Ends the dispatch: the batch is in flight, or was executed. */
  void clearDispatched() {
    dispatched = false;
  }

  /** Tells that the instance is to close once it is idle. */
  void stop() {
    stopped = true;
    LockSupport.unpark(thread);
  }

  boolean isStopped() {
    return stopped;
  }

  /** Whether the thread is parked and has nothing to do, as a snapshot. From any thread. */
  boolean isIdle() {
    boolean parked = LockSupport.getBlocker(thread) == this;
    return parked && !dispatched && !woken; // an unparked thread appears parked for a while
  }

  void unpark() {
    if (!Thread.currentThread().equals(thread)) {
      LockSupport.unpark(thread);
    }
  }

  /** Waits until something is told. Called by the thread, and may return early. */
  void park() {
    LockSupport.park(this);
    Thread.interrupted(); // only a backend's library can have set it
  }

  /** Waits until something is told, but not for long; the thread has something to do. */
  void parkBusy(long nanos) {
    LockSupport.parkNanos(thread, nanos); // with another blocker than that of an idle thread
    Thread.interrupted();
  }
}
