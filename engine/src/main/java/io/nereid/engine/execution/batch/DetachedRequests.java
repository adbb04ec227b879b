package io.nereid.engine.execution.batch;

import io.nereid.engine.telemetry.statistics.InstanceStatistics;
import java.util.LinkedHashSet;
import java.util.SequencedSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one instance that are detached and have not ended. While they are as many as the
 * limit, or more, the instance begins no batch; while there is one, it is not closed. Thread-safe.
 */
public final class DetachedRequests {
  private final int limit;
  private final Supplier<InstanceStatistics> statistics;
  private final Runnable onEnd;

  /** Oldest first; guarded by this. */
  private final SequencedSet<DetachedResponder> open = new LinkedHashSet<>();

  private volatile int size;

  /**
   * @param statistics where their ends are counted
   * @param onEnd run when one has ended: wakes the instance's thread
   */
  public DetachedRequests(int limit, Supplier<InstanceStatistics> statistics, Runnable onEnd) {
    this.limit = limit;
    this.statistics = statistics;
    this.onEnd = onEnd;
  }

  InstanceStatistics statistics() {
    return statistics.get();
  }

  synchronized void add(DetachedResponder request) {
    open.add(request);
    size = open.size();
  }

  /** Removes a request whose memory is released, and which has its outcome. */
  void remove(DetachedResponder request) {
    synchronized (this) {
      open.remove(request);
      size = open.size();
    }
    onEnd.run();
  }

  /** Whether the instance is to begin no batch. */
  public boolean isFull() {
    return size >= limit;
  }

  public int size() {
    return size;
  }

  /**
   * When the execution of the oldest one began, by the clock of the group; {@link
   * ExecutionMeter#IDLE} if there is none.
   */
  public synchronized long oldestStart() {
    return open.isEmpty() ? ExecutionMeter.IDLE : open.getFirst().start();
  }

  /** The thread that has made the last call for the oldest one; null if there is none. */
  public synchronized @Nullable Thread oldestThread() {
    return open.isEmpty() ? null : open.getFirst().lastCaller();
  }
}
