package io.nereid.engine.scheduling.journal;

import io.nereid.config.BatchCostSettings;
import io.nereid.config.SchedulingSettings;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.request.ModelKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A record of a journal. */
public sealed interface JournalRecord {
  /** A record of one scheduler. */
  sealed interface OfScheduler extends JournalRecord {
    /** The scheduler's number in this journal. */
    int scheduler();
  }

  /**
   * A scheduler was started.
   *
   * @param scheduler its number in this journal
   * @param costs null if the cost of a batch has no limit
   * @param limits of the queue
   * @param instances the number of instances at the start
   * @param hasRule whether the model has a batching rule: see {@link Entry.RuleResult}
   * @param nanos the time
   */
  record SchedulerStarted(
      int scheduler,
      ModelKey model,
      SchedulingSettings settings,
      int maxBatchSize,
      @Nullable BatchCostSettings costs,
      QueueLimits limits,
      int instances,
      boolean hasRule,
      long nanos)
      implements OfScheduler {}

  /** A scheduler ended, because its model was unloaded or loaded again. */
  record SchedulerEnded(int scheduler, long nanos) implements OfScheduler {}

  /**
   * A decision of a scheduler.
   *
   * @param entries its events and actions, in order
   * @param wakeNanos when the policy is to decide again; {@link Ticket#NEVER} for no time
   */
  record Decision(int scheduler, List<Entry> entries, long wakeNanos) implements OfScheduler {
    public Decision {
      entries = List.copyOf(entries);
    }
  }

  /**
   * Decisions of a scheduler are missing from here on, because the ring was full.
   *
   * @param lost the number of missing decisions so far
   */
  record Incomplete(int scheduler, long lost) implements OfScheduler {}

  /** The journal was closed by the server. */
  record Closed() implements JournalRecord {}
}
