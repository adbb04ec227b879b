package io.nereid.engine.scheduling.journal;

import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.journal.JournalRecord.Decision;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The decision that a policy makes now, with its entries if it is recorded. Whether it is recorded
 * changes between decisions only. Used by the thread that decides.
 */
final class OpenDecision {
  /** The time while no decision is begun. */
  private static final long NONE = -1;

  private final int scheduler;
  private final BooleanSupplier recording;
  private final Consumer<Decision> decisions;
  private final BatchClasses batchClasses = new BatchClasses();
  private final List<Entry> entries = new ArrayList<>();

  /** The numbers of the tickets that started the open sequences. */
  private final IdentityHashMap<Object, Long> sequences = new IdentityHashMap<>();

  private boolean isRecorded;

  /** The time recorded last. */
  private long time = NONE;

  /**
   * @param scheduler its number in the journal
   * @param recording whether the next decision is recorded; asked once for each
   * @param decisions receives each decision that is recorded; must not block
   */
  OpenDecision(int scheduler, BooleanSupplier recording, Consumer<Decision> decisions) {
    this.scheduler = scheduler;
    this.recording = recording;
    this.decisions = decisions;
  }

  /**
   * Sets the time of what follows; begins the decision if none is begun. Returns whether it is
   * recorded.
   */
  boolean at(long now) {
    if (time == NONE && isRecorded != recording.getAsBoolean()) {
      isRecorded = !isRecorded;
      batchClasses.clear(); // those of requests that were dispatched while nothing was recorded
      sequences.clear();
    }
    if (now != time) {
      time = now;
      if (isRecorded) {
        entries.add(new Entry.At(now));
      }
    }
    return isRecorded;
  }

  boolean isRecorded() {
    return isRecorded;
  }

  /** Adds an entry to a decision that is recorded. */
  void add(Entry entry) {
    entries.add(entry);
  }

  /** The number of the batch key of a request that begins to wait. */
  int waits(Ticket ticket) {
    return batchClasses.add(ticket.batchKey());
  }

  /** A request no longer waits. */
  void left(Ticket ticket) {
    batchClasses.remove(ticket.batchKey());
  }

  /** Notes the sequence that a request starts. */
  void sequence(Ticket ticket) {
    if (ticket.sequence != null) {
      sequences.putIfAbsent(ticket.sequence, ticket.number());
    }
  }

  /** Forgets a sequence; returns the number of the ticket that started it, 0 if it is unknown. */
  long ended(Object sequence) {
    Long first = sequences.remove(sequence);
    return first == null ? 0 : first;
  }

  /** The decision is made. */
  void end(long wakeNanos) {
    if (isRecorded) {
      decisions.accept(new Decision(scheduler, entries, wakeNanos));
      entries.clear();
    }
    time = NONE;
  }
}
