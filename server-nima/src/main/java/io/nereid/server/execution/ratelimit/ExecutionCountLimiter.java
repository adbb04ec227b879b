package io.nereid.server.execution.ratelimit;

import io.nereid.config.InstanceSettings;
import io.nereid.server.execution.ratelimit.RankedPermit.State;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The limiter of {@code --rate-limit=execution_count}. It allocates the staged instance with the
 * least product of executions and priority first. If the resources do not suffice for that
 * instance, all others wait behind it, so an instance that needs many resources does not starve.
 */
public final class ExecutionCountLimiter implements RateLimiter {
  private final Resources resources;
  private final Queue<RankedPermit> staged = new PriorityQueue<>(RankedPermit.ORDER);
  private long stagings;

  /**
   * Creates a limiter without instances.
   *
   * @param limits the resources; if empty, there is as much of each as the largest demand of a
   *     registered instance
   */
  public ExecutionCountLimiter(List<ResourceLimit> limits) {
    resources = new Resources(limits);
  }

  @Override
  public RankedPermit register(InstanceSettings settings, Runnable onAllocated) {
    RankedPermit permit;
    synchronized (this) {
      permit =
          new RankedPermit(
              this, settings.rateLimiter().priority(), resources.add(settings), onAllocated);
    }
    allocate(); // its demand may have raised the amount of a resource
    return permit;
  }

  void stage(RankedPermit permit) {
    synchronized (this) {
      if (permit.state != State.AVAILABLE) {
        return;
      }
      enqueue(permit);
    }
    allocate();
  }

  void releaseUnused(RankedPermit permit) {
    synchronized (this) {
      releaseResources(permit);
    }
    allocate();
  }

  void release(RankedPermit permit, boolean stageAgain) {
    synchronized (this) {
      releaseResources(permit);
      permit.executions++;
      if (stageAgain) {
        enqueue(permit);
      }
    }
    allocate();
  }

  void remove(RankedPermit permit) {
    synchronized (this) {
      switch (permit.state) {
        case STAGED -> staged.remove(permit);
        case ALLOCATED -> releaseResources(permit);
        case AVAILABLE -> {}
        case REMOVED -> throw new IllegalStateException("the instance is already removed");
      }
      resources.remove(permit.demand);
      permit.state = State.REMOVED;
    }
    allocate();
  }

  private void enqueue(RankedPermit permit) {
    permit.state = State.STAGED;
    permit.position = stagings++;
    staged.add(permit);
  }

  private void releaseResources(RankedPermit permit) {
    if (permit.state != State.ALLOCATED) {
      throw new IllegalStateException("the instance is not allocated");
    }
    resources.release(permit.demand);
    permit.state = State.AVAILABLE;
  }

  /** Allocates instances while resources suffice; notifies them outside the lock. */
  private void allocate() {
    for (RankedPermit next = allocateFirst(); next != null; next = allocateFirst()) {
      next.allocated();
    }
  }

  /** Allocates the first staged instance; null if there is none or its resources do not suffice. */
  private synchronized @Nullable RankedPermit allocateFirst() {
    RankedPermit first = staged.peek();
    if (first == null || !resources.acquire(first.demand)) {
      return null;
    }
    staged.remove();
    first.state = State.ALLOCATED;
    return first;
  }
}
