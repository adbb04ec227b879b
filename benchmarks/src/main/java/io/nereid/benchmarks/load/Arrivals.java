package io.nereid.benchmarks.load;

import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The requests that are due and not sent yet. The load's thread takes; with an open loop the
 * pacer's thread adds. Times are {@link System#nanoTime} values.
 */
final class Arrivals {
  /** What {@link #take} returns if nothing is due. */
  static final long NONE = Long.MIN_VALUE;

  private final boolean closedLoop;
  private final ConcurrentLinkedQueue<Long> due = new ConcurrentLinkedQueue<>();
  private volatile boolean ended;

  Arrivals(ArrivalProcess process) {
    closedLoop = process instanceof ArrivalProcess.ClosedLoop;
  }

  /** Adds one request, which should be sent at {@code dueNanos}. */
  void add(long dueNanos) {
    due.add(dueNanos);
  }

  /** The time from which the next request's latency counts, or {@link #NONE}. */
  long take(long nowNanos) {
    if (closedLoop) {
      return ended ? NONE : nowNanos;
    }
    var next = due.poll();
    return next == null ? NONE : next;
  }

  /** No request falls due from now on; what is due already may still be taken. */
  void end() {
    ended = true;
  }

  boolean ended() {
    return ended;
  }

  /** How many are due and were not taken. */
  int waiting() {
    return due.size();
  }
}
