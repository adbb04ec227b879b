package io.nereid.server.scheduling.policy.sequence;

import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.server.request.Ticket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The slots of one instance, its state and the batch that it is executing. */
final class InstanceSlots {
  private final int instance;
  private final List<Slot> slots = new ArrayList<>();
  private final SlotStrategy strategy;

  /** The batch being executed; null for padding. */
  private @Nullable Ticket[] running = new @Nullable Ticket[16];

  private int runningSize;

  /** The number of occupied slots. */
  int occupied;

  /** Whether its free slots are no longer assigned. */
  boolean removed;

  boolean woken;
  boolean ready;

  InstanceSlots(int instance, Strategy settings, int maxBatchSize) {
    this.instance = instance;
    for (int i = 0; i < slots(settings, maxBatchSize); i++) {
      slots.add(new Slot(this, i));
    }
    this.strategy =
        switch (settings) {
          case Strategy.Direct direct -> new DirectSlots(slots, direct);
          case Strategy.Oldest oldest -> new OldestSlots(oldest, maxBatchSize);
        };
  }

  private static int slots(Strategy settings, int maxBatchSize) {
    int rows = Math.max(1, maxBatchSize);
    return settings instanceof Strategy.Oldest oldest && oldest.maxCandidateSequences() > 0
        ? oldest.maxCandidateSequences()
        : rows;
  }

  int instance() {
    return instance;
  }

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
    runningSize = strategy.size();
    if (running.length < runningSize) {
      running = new @Nullable Ticket[2 * runningSize];
    }
    System.arraycopy(strategy.batch(), 0, running, 0, runningSize);
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
