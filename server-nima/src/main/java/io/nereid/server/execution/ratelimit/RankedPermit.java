package io.nereid.server.execution.ratelimit;

import io.nereid.server.execution.ratelimit.Resources.Demand;
import java.util.Comparator;

/** The turns of an instance that an {@link ExecutionCountLimiter} gives and takes. */
final class RankedPermit implements InstancePermit {
  /** Least executions by priority, then in order of arrival. */
  static final Comparator<RankedPermit> ORDER =
      Comparator.comparingDouble(RankedPermit::score).thenComparingLong(instance -> instance.place);

  enum State {
    RESTING,
    STAGED,
    GRANTED,
    GONE
  }

  private final ExecutionCountLimiter limiter;
  private final long priority;
  private final Runnable onGrant;
  final Demand demand;

  // Written under the limiter's lock.
  volatile State state = State.RESTING;
  long executions;

  /** Where it stands among those of the same score, while staged. */
  long place;

  RankedPermit(ExecutionCountLimiter limiter, long priority, Demand demand, Runnable onGrant) {
    this.limiter = limiter;
    this.priority = Math.max(1, priority);
    this.demand = demand;
    this.onGrant = onGrant;
  }

  /** In doubles: a product of longs could wrap. */
  private double score() {
    return (double) executions * priority;
  }

  void granted() {
    onGrant.run();
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
  public boolean isGranted() {
    return state == State.GRANTED;
  }

  @Override
  public void giveBack() {
    limiter.giveBack(this);
  }

  @Override
  public void release(boolean again) {
    limiter.release(this, again);
  }

  @Override
  public void close() {
    limiter.remove(this);
  }
}
