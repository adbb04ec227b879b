package io.nereid.benchmarks.load;

import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The requests that are due and not sent yet. The load's thread takes them; in an open loop the
 * thread of the {@link ArrivalGenerator} adds them. Times are {@link System#nanoTime} values.
 */
final class ArrivalQueue {
  /** The result of {@link #take} if no request is due. */
  static final long NONE = Long.MIN_VALUE;

  private final boolean closedLoop;
  private final ConcurrentLinkedQueue<Long> due = new ConcurrentLinkedQueue<>();
  private volatile boolean ended;

  ArrivalQueue(ArrivalProcess process) {
    closedLoop = process instanceof ArrivalProcess.ClosedLoop;
  }

  /** Adds a request that is due at {@code dueNanos}. */
  void add(long dueNanos) {
    due.add(dueNanos);
  }

  /** Removes the next request and returns its due time; {@link #NONE} if there is none. */
  long take(long nowNanos) {
    if (closedLoop) {
      return ended ? NONE : nowNanos;
    }
    var next = due.poll();
    return next == null ? NONE : next;
  }

  /** Ends the arrivals. Requests in the queue can still be taken. */
  void end() {
    ended = true;
  }

  boolean ended() {
    return ended;
  }

  /** The number of requests in the queue. */
  int waiting() {
    return due.size();
  }
}
