package io.nereid.engine.scheduling.policy;

import io.nereid.config.BatchingSettings;
import io.nereid.config.QueuePolicy;
import io.nereid.config.QueuePolicy.TimeoutAction;
import io.nereid.engine.request.DeadlineHeap;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.request.TicketQueue;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The waiting requests by priority level, each level with its {@link QueuePolicy}. A level is first
 * in first out; requests that timed out with {@link TimeoutAction#DELAY} follow the others. A level
 * is created with its first request. Clients choose among as many levels as the settings have, so
 * empty ones are removed before there are many: their number is bounded by the waiting requests.
 */
final class PriorityQueues {
  /** The queues of one priority level. */
  private static final class Level {
    final QueuePolicy policy;
    final TicketQueue waiting = new TicketQueue();
    final TicketQueue delayed = new TicketQueue();

    /** The next higher level; null if this is the highest. */
    @Nullable Level higher;

    Level(QueuePolicy policy) {
      this.policy = policy;
      waiting.following = delayed;
    }

    boolean isEmpty() {
      return waiting.size() + delayed.size() == 0;
    }

    boolean isFull() {
      return policy.maxQueueSize() != 0 && waiting.size() + delayed.size() >= policy.maxQueueSize();
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
   * @param capacity upper limit of waiting requests, in addition to those in the settings
   * @param waitLimit the server's limit of their wait
   */
  PriorityQueues(BatchingSettings settings, int capacity, WaitLimit waitLimit) {
    this.settings = settings;
    this.capacity = capacity;
    this.places = new ClientPlaces(capacity);
    this.waitLimit = waitLimit;
  }

  int size() {
    return size;
  }

  /** The sum of the rows of all waiting requests. */
  long rows() {
    long rows = 0;
    for (Level level : levels.values()) {
      rows += level.waiting.rows() + level.delayed.rows();
    }
    return rows;
  }

  /** The request at the front, or null; {@link TicketQueue#after} returns those behind it. */
  @Nullable Ticket first() {
    return size == 0 ? null : levels.firstEntry().getValue().waiting.firstOfAll();
  }

  /** Enqueues a request; returns why not, or null. */
  @Nullable Rejection add(Ticket ticket) {
    Level level = level(ticket);
    if (size >= capacity || level.isFull()) {
      return Rejection.QUEUE_FULL;
    }
    if (!places.admits(ticket, size)) {
      return Rejection.QUEUE_SHARE;
    }
    places.add(ticket);
    ticket.enqueuedNanos = ticket.arrivalNanos();
    ticket.expiryNanos = Math.min(expiry(ticket, level.policy), waitLimit.expiry(ticket));
    level.waiting.addLast(ticket);
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
    Level own = level(ticket);
    long ahead = own.waiting.size();
    for (Level level = own.higher; level != null; level = level.higher) {
      ahead += level.waiting.size() + level.delayed.size();
    }
    return ahead;
  }

  /** The sum of their rows. */
  long rowsAhead(Ticket ticket) {
    Level own = level(ticket);
    long ahead = own.waiting.rows();
    for (Level level = own.higher; level != null; level = level.higher) {
      ahead += level.waiting.rows() + level.delayed.rows();
    }
    return ahead;
  }

  /** Removes a waiting request. */
  void remove(Ticket ticket) {
    TicketQueue queue = ticket.queue;
    if (queue == null) {
      throw new IllegalStateException("the ticket is in no queue");
    }
    queue.remove(ticket);
    deadlines.remove(ticket);
    places.remove(ticket);
    size--;
  }

  /** Rejects or delays the requests whose deadline or timeout has passed. */
  void expire(long now, SchedulingActions actions) {
    while (deadlines.nearest() <= now) {
      Ticket ticket = deadlines.first();
      if (ticket.deadlineNanos() <= now) {
        remove(ticket);
        actions.reject(ticket, Rejection.CANCELLED);
      } else if (waitLimit.expiry(ticket) <= now) {
        remove(ticket);
        actions.reject(ticket, Rejection.WAITED_TOO_LONG);
      } else {
        expire(ticket, actions);
      }
    }
  }

  private void expire(Ticket ticket, SchedulingActions actions) {
    Level level = level(ticket);
    if (level.policy.timeoutAction() == TimeoutAction.REJECT) {
      remove(ticket);
      actions.reject(ticket, Rejection.TIMED_OUT);
      return;
    }
    deadlines.remove(ticket);
    level.waiting.remove(ticket);
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
        recent = new Level(settings.queuePolicy(key));
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
    levels.values().removeIf(Level::isEmpty);
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
      higher.delayed.following = lower == null ? null : lower.waiting;
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
