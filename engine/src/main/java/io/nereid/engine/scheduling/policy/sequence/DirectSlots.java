package io.nereid.engine.scheduling.policy.sequence;

import io.nereid.config.SequenceSettings.Strategy.Direct;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.DispatchReason;
import io.nereid.engine.scheduling.policy.FormedBatch;
import io.nereid.engine.scheduling.policy.Times;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;

/**
 * The {@code direct} strategy: the slot of a sequence is its row in every batch. A batch has the
 * rows up to the highest slot with a waiting request. A row is padding if its slot has no request,
 * or if the request's batch key differs from that of the first one: then it stays queued.
 */
final class DirectSlots implements SlotStrategy {
  private final List<Slot> slots;
  private final int capacity;
  private final Direct settings;

  /** The slots with a waiting request. */
  private final BitSet ready = new BitSet();

  private final FormedBatch batch = new FormedBatch();

  /**
   * Creates a strategy without requests.
   *
   * @param slots those that exist so far; the owner adds more
   * @param capacity how many there can be
   */
  DirectSlots(List<Slot> slots, int capacity, Direct settings) {
    this.slots = slots;
    this.capacity = capacity;
    this.settings = settings;
  }

  @Override
  public void changed(Slot slot, long now) {
    ready.set(slot.number, slot.head() != null);
  }

  @Override
  public void completed(Slot slot) {}

  @Override
  public void dispatched() {}

  @Override
  public void executed(long endNanos) {}

  @Override
  public boolean isEmpty() {
    return ready.isEmpty();
  }

  @Override
  public void form(long now) {
    batch.size = 0;
    batch.waitUntil = Ticket.NEVER;
    if (ready.isEmpty()) {
      return;
    }
    batch.reason = DispatchReason.SLOTS_READY;
    if (settings.maxQueueDelayMicros() != 0 && !areEnough()) {
      long due = Times.after(oldest(), settings.maxQueueDelayMicros());
      if (now < due) {
        batch.waitUntil = due;
        return;
      }
      batch.reason = DispatchReason.DELAY_PASSED;
    }
    batch.size = ready.length();
    Object key = head(ready.nextSetBit(0)).batchKey();
    for (int i = ready.nextSetBit(0); i >= 0; i = ready.nextSetBit(i + 1)) {
      Ticket head = head(i);
      batch.set(i, head.batchKey().equals(key) ? head : null);
    }
  }

  @Override
  public FormedBatch batch() {
    return batch;
  }

  private boolean areEnough() {
    return (float) ready.cardinality() / capacity >= (float) settings.minimumSlotUtilization();
  }

  private long oldest() {
    long oldest = Ticket.NEVER;
    for (int i = ready.nextSetBit(0); i >= 0; i = ready.nextSetBit(i + 1)) {
      oldest = Math.min(oldest, head(i).enqueuedNanos);
    }
    return oldest;
  }

  private Ticket head(int slot) {
    return Objects.requireNonNull(slots.get(slot).head(), "no request waits");
  }
}
