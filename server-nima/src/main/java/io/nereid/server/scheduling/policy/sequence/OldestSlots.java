package io.nereid.server.scheduling.policy.sequence;

import io.nereid.config.SequenceSettings.Strategy.Oldest;
import io.nereid.server.request.Ticket;
import io.nereid.server.request.TicketQueue;
import io.nereid.server.scheduling.policy.AdaptiveDelay;
import io.nereid.server.scheduling.policy.BatchFormer;
import io.nereid.server.scheduling.policy.BatchingRule;
import io.nereid.server.scheduling.policy.DispatchReason;
import org.jspecify.annotations.Nullable;

/**
 * {@code oldest}: of each sequence that has a slot one request at a time is a candidate, and the
 * candidates are batched like requests of a dynamic batcher. The next one follows once the one
 * before has been executed, so a batch never holds two of one sequence.
 */
final class OldestSlots implements SlotStrategy {
  private final TicketQueue candidates = new TicketQueue();
  private final AdaptiveDelay patience = new AdaptiveDelay();
  private final BatchFormer former;

  OldestSlots(Oldest settings, int maxBatchSize) {
    this.former =
        new BatchFormer(
            settings.preferredBatchSizes(),
            settings.maxQueueDelayMicros(),
            maxBatchSize,
            BatchingRule.ALL,
            patience);
  }

  @Override
  public void changed(Slot slot, long now) {
    Ticket head = slot.head();
    if (head != null && !slot.inFlight && head.queue != null) {
      head.queue.remove(head);
      candidates.addLast(head);
      slot.inFlight = true;
      patience.arrived(now);
    }
  }

  @Override
  public void landed(Slot slot) {
    slot.inFlight = false;
  }

  @Override
  public void dispatched() {
    former.dispatched();
  }

  @Override
  public void executed(long endNanos) {
    patience.executed(endNanos);
  }

  @Override
  public boolean isEmpty() {
    return candidates.isEmpty();
  }

  @Override
  public void form(long now) {
    former.form(candidates.first(), now);
  }

  @Override
  public void forget() {
    former.forget();
  }

  @Override
  public @Nullable Ticket[] batch() {
    return former.batch();
  }

  @Override
  public int size() {
    return former.size();
  }

  @Override
  public DispatchReason reason() {
    return former.reason();
  }

  @Override
  public long waitUntil() {
    return former.waitUntil();
  }
}
