package io.nereid.server.scheduling.journal;

import io.nereid.config.SchedulingSettings;
import io.nereid.request.ModelKey;
import io.nereid.server.request.Ticket;
import java.util.List;

/** What a journal is made of. */
public sealed interface JournalRecord {
  /**
   * A scheduler has started: what its policy is made of.
   *
   * @param scheduler its number in this journal
   * @param settings as far as they matter to decisions
   * @param maxBatchSize of the model
   * @param capacity requests that may wait
   * @param instances that the model had at start
   * @param ruled whether the model has its own word on batches: {@link Entry.RuleAnswer}
   */
  record SchedulerStarted(
      int scheduler,
      ModelKey model,
      SchedulingSettings settings,
      int maxBatchSize,
      int capacity,
      int instances,
      boolean ruled)
      implements JournalRecord {}

  /**
   * One decision of a scheduler.
   *
   * @param entries what it was told and what it did about it, in order
   * @param wakeNanos when it wanted to be asked again; {@link Ticket#NEVER} if it need not be
   */
  record Decision(int scheduler, List<Entry> entries, long wakeNanos) implements JournalRecord {
    public Decision {
      entries = List.copyOf(entries);
    }
  }

  /**
   * From here on decisions of a scheduler are missing, since they could not be written in time.
   *
   * @param lost decisions, so far
   */
  record Incomplete(int scheduler, long lost) implements JournalRecord {}

  /** The journal was closed in order. */
  record Closed() implements JournalRecord {}
}
