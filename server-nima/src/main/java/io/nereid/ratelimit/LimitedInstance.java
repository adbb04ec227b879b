package io.nereid.ratelimit;

import io.nereid.ratelimit.Resources.Demand;
import java.util.Comparator;

/**
 * An instance as the {@link RateLimiter} knows it. It rests until it is staged; it is granted its
 * turn, with all that it asks for, when it is first in line and all of that is there; and it rests
 * again when it gives its turn back or has executed. From any thread.
 */
public final class LimitedInstance implements AutoCloseable {
  /** Least executions by priority, then in order of arrival. */
  static final Comparator<LimitedInstance> ORDER =
      Comparator.comparingDouble(LimitedInstance::score)
          .thenComparingLong(instance -> instance.place);

  enum State {
    RESTING,
    STAGED,
    GRANTED,
    GONE
  }

  private final RateLimiter limiter;
  private final long priority;
  private final Runnable onGrant;
  final Demand demand;

  // Written under the limiter's lock.
  volatile State state = State.RESTING;
  long executions;

  /** Where it stands among those of the same score, while staged. */
  long place;

  /** Whether its next turn is its last, which nobody else gives back. */
  boolean closing;

  LimitedInstance(RateLimiter limiter, long priority, Demand demand, Runnable onGrant) {
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

  /** Whether it is this instance's turn. */
  public boolean isGranted() {
    return state == State.GRANTED;
  }

  /** Waits in line for its turn. Without effect unless it rests. */
  public void stage() {
    limiter.stage(this);
  }

  /**
   * Gives its turn back, which was for nothing, and rests.
   *
   * @throws IllegalStateException if it is not its turn
   */
  public void giveBack() {
    limiter.giveBack(this);
  }

  /**
   * It has executed: counts that, and gives back what it held.
   *
   * @param again whether to wait in line again, so that it has its chance before anybody behind it;
   *     else it rests
   * @throws IllegalStateException if it is not its turn
   */
  public void release(boolean again) {
    limiter.release(this, again);
  }

  /** Waits in line for its last turn, or has it already; {@link #giveBack} does nothing now. */
  public void stageForClosing() {
    limiter.stageForClosing(this);
  }

  /** It is gone, and holds nothing, whatever it did. Once. */
  @Override
  public void close() {
    limiter.remove(this);
  }
}
