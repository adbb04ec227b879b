package io.nereid.engine.execution.ratelimit;

import io.nereid.config.InstanceSettings;
import io.nereid.engine.execution.ratelimit.Resources.Demand;
import java.util.Comparator;
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
  private enum State {
    AVAILABLE,
    STAGED,
    ALLOCATED,
    REMOVED
  }

  private final Resources resources;
  private final Queue<Permit> staged =
      new PriorityQueue<>(
          Comparator.comparingDouble(Permit::score).thenComparingLong(permit -> permit.position));
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
  public Permit register(InstanceSettings settings, Runnable onAllocated) {
    Permit permit;
    synchronized (this) {
      permit = new Permit(settings, resources.add(settings), onAllocated);
    }
    allocate(); // its demand may have raised the amount of a resource
    return permit;
  }

  /** Allocates instances while resources suffice; notifies them outside the lock. */
  private void allocate() {
    for (Permit next = allocateFirst(); next != null; next = allocateFirst()) {
      next.onAllocated.run();
    }
  }

  /** Allocates the first staged instance; null if there is none or its resources do not suffice. */
  private synchronized @Nullable Permit allocateFirst() {
    Permit first = staged.peek();
    if (first == null || !resources.acquire(first.demand)) {
      return null;
    }
    staged.remove();
    first.state = State.ALLOCATED;
    return first;
  }

  /** The permit of a registered instance; its fields are written under the limiter's lock. */
  final class Permit implements InstancePermit {
    private final long priority;
    private final Demand demand;
    private final Runnable onAllocated;
    private volatile State state = State.AVAILABLE;
    long executions;

    /** Number of permits that were staged before this one, while it is staged. */
    private long position;

    private Permit(InstanceSettings settings, Demand demand, Runnable onAllocated) {
      this.priority = Math.max(1, settings.rateLimiter().priority());
      this.demand = demand;
      this.onAllocated = onAllocated;
    }

    /** In doubles: a product of longs could wrap. */
    private double score() {
      return (double) executions * priority;
    }

    @Override
    public long priority() {
      return priority;
    }

    @Override
    public void stage() {
      synchronized (ExecutionCountLimiter.this) {
        if (state != State.AVAILABLE) {
          return;
        }
        enqueue();
      }
      allocate();
    }

    @Override
    public boolean isAllocated() {
      return state == State.ALLOCATED;
    }

    @Override
    public void releaseUnused() {
      synchronized (ExecutionCountLimiter.this) {
        releaseResources();
      }
      allocate();
    }

    @Override
    public void release(boolean stageAgain) {
      synchronized (ExecutionCountLimiter.this) {
        releaseResources();
        executions++;
        if (stageAgain) {
          enqueue();
        }
      }
      allocate();
    }

    @Override
    public void close() {
      synchronized (ExecutionCountLimiter.this) {
        switch (state) {
          case STAGED -> staged.remove(this);
          case ALLOCATED -> releaseResources();
          case AVAILABLE -> {}
          case REMOVED -> throw new IllegalStateException("the instance is already removed");
        }
        resources.remove(demand);
        state = State.REMOVED;
      }
      allocate();
    }

    private void enqueue() {
      state = State.STAGED;
      position = stagings++;
      staged.add(this);
    }

    private void releaseResources() {
      if (state != State.ALLOCATED) {
        throw new IllegalStateException("the instance is not allocated");
      }
      resources.release(demand);
      state = State.AVAILABLE;
    }
  }
}
