package io.nereid.engine.scheduling.policy.sequence;

import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.engine.request.Ticket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The slots of one instance, its state and the batch that it is executing. A slot is created once
 * all slots with lower numbers are occupied, so that memory follows the sequences that a model has
 * at once, and not the maximum in its configuration. At least one slot is free, or all exist.
 */
final class InstanceSlots {
  private final int instance;
  private final int capacity;
  private final List<Slot> slots = new ArrayList<>();
  private final SlotStrategy strategy;

  /** The batch being executed; null for padding. */
  private @Nullable Ticket[] running = new @Nullable Ticket[16];

  private int runningSize;

  int occupied;

  /** Whether its free slots are no longer assigned. */
  boolean removed;

  boolean woken;
  boolean ready;

  InstanceSlots(int instance, Strategy settings, int maxBatchSize) {
    this.instance = instance;
    this.capacity = capacity(settings, maxBatchSize);
    slots.add(new Slot(this, 0));
    this.strategy =
        switch (settings) {
          case Strategy.Direct direct -> new DirectSlots(slots, capacity, direct);
          case Strategy.Oldest oldest -> new OldestSlots(oldest, maxBatchSize);
        };
  }

  private static int capacity(Strategy settings, int maxBatchSize) {
    int rows = Math.max(1, maxBatchSize);
    return settings instanceof Strategy.Oldest oldest && oldest.maxCandidateSequences() > 0
        ? oldest.maxCandidateSequences()
        : rows;
  }

  /** Creates the slot above one that is occupied; null if it exists, or there can be none. */
  @Nullable Slot slotAbove(Slot occupied) {
    int number = occupied.number + 1;
    if (number < slots.size() || number == capacity) {
      return null;
    }
    var above = new Slot(this, number);
    slots.add(above);
    return above;
  }

  int instance() {
    return instance;
  }

  /** The number of slots without a sequence, of those that exist and of those that do not yet. */
  long free() {
    return (long) capacity - occupied;
  }

  /** Those that exist. */
  List<Slot> slots() {
    return slots;
  }

  SlotStrategy strategy() {
    return strategy;
  }

  boolean isBusy() {
    return runningSize > 0;
  }

  /** Whether it was removed and will get no batch again. */
  boolean isRemoved() {
    return removed && occupied == 0 && !isBusy() && strategy.isEmpty();
  }

  /** Records the batch that the strategy has formed as the one being executed. */
  void dispatched() {
    runningSize = strategy.batch().size;
    if (running.length < runningSize) {
      running = new @Nullable Ticket[2 * runningSize];
    }
    System.arraycopy(strategy.batch().tickets, 0, running, 0, runningSize);
  }

  /** The number of rows of the batch being executed. */
  int runningSize() {
    return runningSize;
  }

  /** A request of the batch being executed; null for a padding row. */
  @Nullable Ticket running(int row) {
    return running[row];
  }

  /** Records that the batch has been executed. */
  void executed() {
    Arrays.fill(running, 0, runningSize, null);
    runningSize = 0;
  }
}
