package io.nereid.tools.load.arrival;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongConsumer;

/**
 * The requests that are due and not sent yet. The load's thread takes them; in an open loop the
 * thread of the {@link ArrivalGenerator} adds them. Times are {@link System#nanoTime} values.
 */
public final class ArrivalQueue {
  /** The result of {@link #take} if no request is due. */
  public static final long NONE = Long.MIN_VALUE;

  private final boolean closedLoop;
  private final ConcurrentLinkedQueue<Long> due = new ConcurrentLinkedQueue<>();
  private final long maxWaitNanos;
  private final LongConsumer unsent;
  private volatile boolean ended;

  public ArrivalQueue(ArrivalProcess process) {
    this(process, Long.MAX_VALUE, _ -> {});
  }

  /**
   * @param maxWaitNanos for how long a request waits here at most
   * @param unsent receives the due times of those that have waited for longer, from the load's
   *     thread
   */
  public ArrivalQueue(ArrivalProcess process, long maxWaitNanos, LongConsumer unsent) {
    closedLoop = process instanceof ArrivalProcess.ClosedLoop;
    this.maxWaitNanos = maxWaitNanos;
    this.unsent = unsent;
  }

  /** Adds a request that is due at {@code dueNanos}. */
  public void add(long dueNanos) {
    due.add(dueNanos);
  }

  /** Removes the next request and returns its due time; {@link #NONE} if there is none. */
  public long take(long nowNanos) {
    if (closedLoop) {
      return ended ? NONE : nowNanos;
    }
    var next = due.poll();
    while (next != null && nowNanos - next > maxWaitNanos) {
      unsent.accept(next);
      next = due.poll();
    }
    return next == null ? NONE : next;
  }

  /** Removes the requests that were due before a time. Any thread. */
  public void discardUntil(long nanos) {
    due.removeIf(time -> time - nanos < 0);
  }

  /** Ends the arrivals. Requests in the queue can still be taken. */
  public void end() {
    ended = true;
  }

  public boolean ended() {
    return ended;
  }

  /** The number of requests in the queue. */
  public int waiting() {
    return due.size();
  }
}
