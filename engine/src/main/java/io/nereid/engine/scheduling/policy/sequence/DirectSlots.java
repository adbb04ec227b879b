package io.nereid.engine.scheduling.policy.sequence;

import io.nereid.config.SequenceSettings.Strategy.Direct;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.DispatchReason;
import io.nereid.engine.scheduling.policy.Times;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

  private @Nullable Ticket[] batch = new @Nullable Ticket[16];
  private int size;
  private DispatchReason reason = DispatchReason.SLOTS_READY;
  private long waitUntil = Ticket.NEVER;

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
    size = 0;
    waitUntil = Ticket.NEVER;
    if (ready.isEmpty()) {
      return;
    }
    if (settings.maxQueueDelayMicros() != 0 && !areEnough()) {
      long due = Times.after(oldest(), settings.maxQueueDelayMicros());
      if (now < due) {
        waitUntil = due;
        return;
      }
      reason = DispatchReason.DELAY_PASSED;
    } else {
      reason = DispatchReason.SLOTS_READY;
    }
    size = ready.length();
    if (batch.length < size) {
      batch = new @Nullable Ticket[2 * size];
    }
    Object key = head(ready.nextSetBit(0)).batchKey();
    for (int i = ready.nextSetBit(0); i >= 0; i = ready.nextSetBit(i + 1)) {
      Ticket head = head(i);
      batch[i] = head.batchKey().equals(key) ? head : null;
    }
  }

  @Override
  public void forget() {
    Arrays.fill(batch, 0, size, null);
    size = 0;
  }

  @Override
  public @Nullable Ticket[] batch() {
    return batch;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public DispatchReason reason() {
    return reason;
  }

  @Override
  public long waitUntil() {
    return waitUntil;
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
    Ticket head = slots.get(slot).head();
    if (head == null) {
      throw new IllegalStateException("no request waits at slot " + slot);
    }
    return head;
  }
}
