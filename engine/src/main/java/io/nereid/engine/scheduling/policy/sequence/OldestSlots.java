package io.nereid.engine.scheduling.policy.sequence;

import io.nereid.config.SequenceSettings.Strategy.Oldest;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.request.TicketQueue;
import io.nereid.engine.scheduling.policy.AdaptiveDelay;
import io.nereid.engine.scheduling.policy.BatchFormer;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.engine.scheduling.policy.ExecutionTimes;
import io.nereid.engine.scheduling.policy.FormedBatch;

/**
 * The {@code oldest} strategy: one request at a time of each sequence with a slot is a candidate,
 * and candidates are batched like the requests of a dynamic batcher. The next request of a sequence
 * becomes a candidate when the previous one has been executed, so a batch never has two requests of
 * one sequence.
 */
final class OldestSlots implements SlotStrategy {
  private final TicketQueue candidates = new TicketQueue();
  private final AdaptiveDelay adaptiveDelay = new AdaptiveDelay();
  private final BatchFormer former;

  OldestSlots(Oldest settings, int maxBatchSize) {
    this.former =
        new BatchFormer(
            settings.preferredBatchSizes(),
            settings.maxQueueDelayMicros(),
            maxBatchSize,
            /* costs= */ null,
            BatchingRule.ALL,
            new ExecutionTimes(), // none is measured: no deadline limits a batch
            adaptiveDelay);
  }

  @Override
  public void changed(Slot slot, long now) {
    Ticket head = slot.head();
    if (head != null && !slot.inFlight && head.queue != null) {
      head.queue.remove(head);
      candidates.addLast(head);
      slot.inFlight = true;
      adaptiveDelay.arrived(now);
    }
  }

  @Override
  public void completed(Slot slot) {
    slot.inFlight = false;
  }

  @Override
  public void dispatched() {
    former.dispatched();
  }

  @Override
  public void executed(long endNanos) {
    adaptiveDelay.executed(endNanos);
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
  public FormedBatch batch() {
    return former.batch();
  }
}
