package io.nereid.engine.execution;

import io.nereid.engine.execution.batch.DispatchedBatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What other threads tell the thread of an instance: that the instance is allocated, that its batch
 * is filled, that it is to close. The thread waits here.
 */
final class InstanceInbox {
  private final Thread thread;

  /** The batch to fill while the instance is ready. */
  private DispatchedBatch batch = new DispatchedBatch();

  /** Whether the instance was allocated and has not reported ready since. */
  private final AtomicBoolean woken = new AtomicBoolean();

  /** Whether the filled batch is to be executed. */
  private final AtomicBoolean filled = new AtomicBoolean();

  /** The thread that the instance is lent to; null if it is not. */
  private final AtomicReference<@Nullable Thread> borrower = new AtomicReference<>();

  private volatile boolean stopped;

  InstanceInbox(Thread thread) {
    this.thread = thread;
  }

  /** The batch to fill before {@link #dispatch}, while the instance is ready. */
  DispatchedBatch batch() {
    return batch;
  }

  /** Sets the batch to fill next; by the thread, before it reports that the instance is ready. */
  void fillNext(DispatchedBatch next) {
    batch = next;
  }

  /** Tells that the instance is allocated. */
  void wake() {
    woken.set(true);
    unpark();
  }

  /**
   * Lends the instance to the calling thread, unless it is lent. What this thread tells does not
   * unpark the instance's thread until {@link #giveBack}.
   */
  boolean lend() {
    return borrower.compareAndSet(null, Thread.currentThread());
  }

  boolean isLent() {
    return borrower.get() != null;
  }

  /** Ends the loan; the instance's thread does what there is left. Called by the borrower. */
  void giveBack() {
    borrower.set(null);
    if (woken.get() || filled.get() || stopped) {
      unpark();
    }
  }

  /** Whether {@link #wake} was called since the last call that returned true. */
  boolean takeWoken() {
    return woken.get() && woken.compareAndSet(true, false);
  }

  /** Tells that the batch is filled. */
  void dispatch() {
    filled.set(true);
    unpark();
  }

  /** Whether a filled batch is to be executed. */
  boolean isDispatched() {
    return filled.get();
  }

  /** Whether a filled batch is to be executed: by the caller, if it returns true. */
  boolean takeDispatched() {
    return filled.get() && filled.compareAndSet(true, false);
  }

  /** Tells that the instance is to close once it is idle. */
  void stop() {
    stopped = true;
    LockSupport.unpark(thread);
  }

  boolean isStopped() {
    return stopped;
  }

  /**
   * Whether the thread is parked, has nothing to do, and the instance is not lent, as a snapshot.
   * From any thread.
   */
  boolean isIdle() {
    boolean parked = LockSupport.getBlocker(thread) == this; // also a while after an unpark
    return parked && !isLent() && !filled.get() && !woken.get();
  }

  void unpark() {
    Thread current = Thread.currentThread();
    if (!current.equals(thread) && !current.equals(borrower.get())) {
      LockSupport.unpark(thread);
    }
  }

  /** Unparks the thread, also if the instance is lent, and to the calling thread. */
  void unparkAny() {
    LockSupport.unpark(thread);
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
