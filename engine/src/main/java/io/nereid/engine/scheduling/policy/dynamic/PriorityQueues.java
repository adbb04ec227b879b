package io.nereid.engine.scheduling.policy.dynamic;

import io.nereid.config.BatchingSettings;
import io.nereid.config.QueuePolicy;
import io.nereid.config.QueuePolicy.TimeoutAction;
import io.nereid.engine.request.DeadlineHeap;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.request.TicketQueue;
import io.nereid.engine.scheduling.policy.ClientPlaces;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.Rejection;
import io.nereid.engine.scheduling.policy.SchedulingActions;
import io.nereid.engine.scheduling.policy.Times;
import io.nereid.engine.scheduling.policy.WaitLimit;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The waiting requests by priority level, each level with its {@link QueuePolicy}. A level is a
 * {@link FairQueue}, unless the order of responses is to be that of requests. Requests that timed
 * out with {@link TimeoutAction#DELAY} follow the others. A level is created with its first
 * request. Clients choose among as many levels as the settings have, so empty ones are removed
 * before there are many: their number is bounded by the waiting requests.
 */
final class PriorityQueues {
  private static final class Level {
    final QueuePolicy policy;
    final FairQueue waiting;
    final TicketQueue delayed = new TicketQueue();

    /** The next higher level; null if this is the highest. */
    @Nullable Level higher;

    Level(QueuePolicy policy, boolean isFair) {
      this.policy = policy;
      waiting = new FairQueue(isFair);
      waiting.tickets.following = delayed;
    }

    int size() {
      return waiting.tickets.size() + delayed.size();
    }

    long rows() {
      return waiting.tickets.rows() + delayed.rows();
    }

    boolean isFull() {
      return policy.maxQueueSize() != 0 && size() >= policy.maxQueueSize();
    }
  }

  /** The number of levels below which empty ones are kept. */
  private static final int FEW_LEVELS = 64;

  private final BatchingSettings settings;
  private final int capacity;
  private final ClientPlaces places;
  private final WaitLimit waitLimit;
  private final TreeMap<Long, Level> levels = new TreeMap<>(Long::compareUnsigned);
  private final DeadlineHeap deadlines = new DeadlineHeap();

  /** The level of the last request, which is usually the next one's too. */
  private @Nullable Level recent;

  private long recentKey;

  /** The number of levels at which empty ones are removed before another is created. */
  private int maxLevels = FEW_LEVELS;

  private int size;

  /**
   * Creates empty queues.
   *
   * @param limits of the waiting requests, in addition to those in the settings
   */
  PriorityQueues(BatchingSettings settings, QueueLimits limits, WaitLimit waitLimit) {
    this.settings = settings;
    this.capacity = limits.requests();
    this.places = new ClientPlaces(limits);
    this.waitLimit = waitLimit;
  }

  int size() {
    return size;
  }

  /** The sum of the rows of all waiting requests. */
  long rows() {
    long rows = 0;
    for (Level level : levels.values()) {
      rows += level.rows();
    }
    return rows;
  }

  /** The request at the front, or null; {@link TicketQueue#after} returns those behind it. */
  @Nullable Ticket first() {
    return size == 0 ? null : levels.firstEntry().getValue().waiting.tickets.firstOfAll();
  }

  /**
   * Enqueues a request; returns why not, or null. If the queue is full, a request of its level that
   * would be served later is rejected for it: a client that fills the queue does not close it to
   * others.
   */
  @Nullable Rejection add(Ticket ticket, SchedulingActions actions) {
    Level level = level(ticket);
    Ticket replaced = null;
    if (size >= capacity || level.isFull()) {
      replaced = level.waiting.lastBehind(ticket);
      if (replaced == null || replaced.isStep()) {
        return Rejection.QUEUE_FULL;
      }
    }
    if (!places.admits(ticket, size)) {
      return Rejection.QUEUE_SHARE;
    }
    if (replaced != null) {
      withdraw(replaced);
      actions.reject(replaced, Rejection.QUEUE_FULL);
    }
    places.add(ticket);
    ticket.enqueuedNanos = ticket.arrivalNanos();
    ticket.expiryNanos = Math.min(expiry(ticket, level.policy), waitLimit.expiry(ticket));
    level.waiting.add(ticket);
    size++;
    if (ticket.wakeNanos() != Ticket.NEVER) {
      deadlines.add(ticket);
    }
    return null;
  }

  /**
   * The client's timeout of a request, in microseconds, unsigned; 0 if it has none, or if it does
   * not end the wait: because the queue policy of its level does not allow that, has a timeout that
   * is as short, or executes requests after their timeout.
   */
  long timeoutMicros(Ticket ticket) {
    QueuePolicy policy = level(ticket).policy;
    boolean counts =
        policy.timeoutAction() == TimeoutAction.REJECT && overridesTimeout(ticket, policy);
    return counts ? ticket.timeoutMicros() : 0;
  }

  /** The number of waiting requests that precede a request which is not queued. */
  long requestsAhead(Ticket ticket) {
    return level(ticket).waiting.requestsAhead(ticket) + higher(ticket, Level::size);
  }

  /** The sum of their rows. */
  long rowsAhead(Ticket ticket) {
    return level(ticket).waiting.rowsAhead(ticket) + higher(ticket, Level::rows);
  }

  private long higher(Ticket ticket, ToLongFunction<Level> count) {
    long sum = 0;
    for (Level level = level(ticket).higher; level != null; level = level.higher) {
      sum += count.applyAsLong(level);
    }
    return sum;
  }

  /** Removes a request that is served: the one at the front, or one that overtakes others. */
  void serve(Ticket ticket) {
    remove(ticket, /* isServed= */ true);
  }

  /** Removes a waiting request that is not served. */
  void withdraw(Ticket ticket) {
    remove(ticket, /* isServed= */ false);
  }

  private void remove(Ticket ticket, boolean isServed) {
    Level level = level(ticket);
    if (ticket.queue == level.delayed) {
      level.delayed.remove(ticket);
    } else if (isServed) {
      level.waiting.serve(ticket);
    } else {
      level.waiting.withdraw(ticket);
    }
    deadlines.remove(ticket);
    places.remove(ticket);
    size--;
  }

  /** Rejects or delays the requests whose deadline or timeout has passed. */
  void expire(long now, SchedulingActions actions) {
    while (deadlines.nearest() <= now) {
      Ticket ticket = deadlines.first();
      if (ticket.deadlineNanos() <= now) {
        withdraw(ticket);
        actions.reject(ticket, Rejection.CANCELLED);
      } else if (waitLimit.expiry(ticket) <= now) {
        withdraw(ticket);
        actions.reject(ticket, Rejection.WAITED_TOO_LONG);
      } else {
        expire(ticket, actions);
      }
    }
  }

  private void expire(Ticket ticket, SchedulingActions actions) {
    Level level = level(ticket);
    if (level.policy.timeoutAction() == TimeoutAction.REJECT) {
      withdraw(ticket);
      actions.reject(ticket, Rejection.TIMED_OUT);
      return;
    }
    deadlines.remove(ticket);
    level.waiting.withdraw(ticket);
    level.delayed.addLast(ticket);
    ticket.expiryNanos = waitLimit.expiry(ticket);
    if (ticket.wakeNanos() != Ticket.NEVER) {
      deadlines.add(ticket);
    }
  }

  /** The next time at which {@link #expire} has an effect. */
  long nearestDeadline() {
    return deadlines.nearest();
  }

  private Level level(Ticket ticket) {
    long key = key(ticket.priority());
    if (recent == null || recentKey != key) {
      recent = levels.get(key);
      if (recent == null) {
        removeEmptyLevels();
        recent = new Level(settings.queuePolicy(key), !settings.preserveOrdering());
        levels.put(key, recent);
        link(levelOf(levels.lowerEntry(key)), recent);
        link(recent, levelOf(levels.higherEntry(key)));
      }
      recentKey = key;
    }
    return recent;
  }

  private long key(long priority) {
    if (settings.priorityLevels() == 0) {
      return 0;
    }
    boolean known = priority != 0 && Long.compareUnsigned(priority, settings.priorityLevels()) <= 0;
    return known ? priority : settings.defaultPriorityLevel();
  }

  /** Removes empty levels, once there are many; afterwards at most half of that number are left. */
  private void removeEmptyLevels() {
    if (levels.size() < maxLevels) {
      return;
    }
    levels.values().removeIf(level -> level.size() == 0);
    maxLevels = Math.max(FEW_LEVELS, 2 * levels.size());
    Level higher = null;
    for (Level level : levels.values()) {
      link(higher, level);
      higher = level;
    }
    link(higher, null);
  }

  private static @Nullable Level levelOf(Map.@Nullable Entry<Long, Level> entry) {
    return entry == null ? null : entry.getValue();
  }

  /** Links the last queue of a level to the first one of the next lower level. */
  private static void link(@Nullable Level higher, @Nullable Level lower) {
    if (higher != null) {
      higher.delayed.following = lower == null ? null : lower.waiting.tickets;
    }
    if (lower != null) {
      lower.higher = higher;
    }
  }

  /** Whether a client's timeout replaces that of the queue policy, which it can only shorten. */
  private static boolean overridesTimeout(Ticket ticket, QueuePolicy policy) {
    long own = ticket.timeoutMicros();
    return policy.allowTimeoutOverride()
        && own != 0
        && Long.compareUnsigned(own, policy.defaultTimeoutMicros()) < 0;
  }

  private static long expiry(Ticket ticket, QueuePolicy policy) {
    long timeout =
        overridesTimeout(ticket, policy) ? ticket.timeoutMicros() : policy.defaultTimeoutMicros();
    return timeout == 0 ? Ticket.NEVER : Times.after(ticket.arrivalNanos(), timeout);
  }
}
