package io.nereid.server.execution.ratelimit;

import io.nereid.server.execution.ratelimit.Resources.Demand;
import java.util.Comparator;

/** The permit of an instance that is registered with an {@link ExecutionCountLimiter}. */
final class RankedPermit implements InstancePermit {
  /** By score, then in the order of staging. */
  static final Comparator<RankedPermit> ORDER =
      Comparator.comparingDouble(RankedPermit::score).thenComparingLong(permit -> permit.position);

  enum State {
    AVAILABLE,
    STAGED,
    ALLOCATED,
    REMOVED
  }

  private final ExecutionCountLimiter limiter;
  private final long priority;
  private final Runnable onAllocated;
  final Demand demand;

  // Written under the limiter's lock.
  volatile State state = State.AVAILABLE;
  long executions;

  /** Number of permits that were staged before this one, while it is staged. */
  long position;

  RankedPermit(ExecutionCountLimiter limiter, long priority, Demand demand, Runnable onAllocated) {
    this.limiter = limiter;
    this.priority = Math.max(1, priority);
    this.demand = demand;
    this.onAllocated = onAllocated;
  }

  /** In doubles: a product of longs could wrap. */
  private double score() {
    return (double) executions * priority;
  }

  void allocated() {
    onAllocated.run();
  }

  @Override
  public long priority() {
    return priority;
  }

  @Override
  public void stage() {
    limiter.stage(this);
  }

  @Override
  public boolean isAllocated() {
    return state == State.ALLOCATED;
  }

  @Override
  public void releaseUnused() {
    limiter.releaseUnused(this);
  }

  @Override
  public void release(boolean stageAgain) {
    limiter.release(this, stageAgain);
  }

  @Override
  public void close() {
    limiter.remove(this);
  }
}
