package io.nereid.server.execution.ratelimit;

import io.nereid.config.InstanceSettings;
import io.nereid.server.execution.ratelimit.RankedPermit.State;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Of the instances that have something to do the one goes first that has the least executions times
 * priority; when there is not enough for it, all others wait behind it, so that nobody who asks for
 * much starves.
 */
public final class ExecutionCountLimiter implements RateLimiter {
  private final Resources resources;
  private final Queue<RankedPermit> staged = new PriorityQueue<>(RankedPermit.ORDER);
  private long places;

  /**
   * A limiter without instances.
   *
   * @param limits what there is; empty: of each resource as much as the instance asks for that asks
   *     for most
   */
  public ExecutionCountLimiter(List<ResourceLimit> limits) {
    resources = new Resources(limits);
  }

  @Override
  public RankedPermit register(InstanceSettings settings, Runnable onGrant) {
    RankedPermit instance;
    synchronized (this) {
      instance =
          new RankedPermit(
              this, settings.rateLimiter().priority(), resources.add(settings), onGrant);
    }
    grant(); // there may be more of something now
    return instance;
  }

  void stage(RankedPermit instance) {
    synchronized (this) {
      if (instance.state != State.RESTING) {
        return;
      }
      enqueue(instance);
    }
    grant();
  }

  void giveBack(RankedPermit instance) {
    synchronized (this) {
      takeBack(instance);
    }
    grant();
  }

  void release(RankedPermit instance, boolean again) {
    synchronized (this) {
      takeBack(instance);
      instance.executions++;
      if (again) {
        enqueue(instance);
      }
    }
    grant();
  }

  void remove(RankedPermit instance) {
    synchronized (this) {
      switch (instance.state) {
        case STAGED -> staged.remove(instance);
        case GRANTED -> takeBack(instance);
        case RESTING -> {}
        case GONE -> throw new IllegalStateException("an instance is gone already");
      }
      resources.remove(instance.demand);
      instance.state = State.GONE;
    }
    grant();
  }

  private void enqueue(RankedPermit instance) {
    instance.state = State.STAGED;
    instance.place = places++;
    staged.add(instance);
  }

  private void takeBack(RankedPermit instance) {
    if (instance.state != State.GRANTED) {
      throw new IllegalStateException("an instance gives back what it was not granted");
    }
    resources.giveBack(instance.demand);
    instance.state = State.RESTING;
  }

  /** Gives those their turn who can have it. They are told so without the lock. */
  private void grant() {
    for (RankedPermit next = next(); next != null; next = next()) {
      next.granted();
    }
  }

  /** The first in line, granted; null if there is nobody, or not enough for it. */
  private synchronized @Nullable RankedPermit next() {
    RankedPermit first = staged.peek();
    if (first == null || !resources.take(first.demand)) {
      return null;
    }
    staged.remove();
    first.state = State.GRANTED;
    return first;
  }
}
