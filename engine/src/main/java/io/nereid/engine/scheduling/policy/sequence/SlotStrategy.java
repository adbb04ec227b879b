package io.nereid.engine.scheduling.policy.sequence;

import io.nereid.engine.scheduling.policy.FormedBatch;

/**
 * The selection of requests of one instance's sequences that share a batch, and its time. The
 * caller reports each change of a slot, calls {@link #form} while the instance is not busy, and
 * removes the requests of the batch from their queues.
 */
sealed interface SlotStrategy permits DirectSlots, OldestSlots {
  /** The next request of the slot has changed. */
  void changed(Slot slot, long now);

  /** The slot's request in flight has been executed or rejected. */
  void completed(Slot slot);

  /** The batch is dispatched as formed. */
  void dispatched();

  /**
   * The instance has executed its batch; precedes {@link #completed} of its slots.
   *
   * @param endNanos when the model had ended
   */
  void executed(long endNanos);

  /** Whether no request is available for the next batch. */
  boolean isEmpty();

  /** Forms a batch. The requests stay in their queues. */
  void form(long now);

  /** The batch that {@link #form} has formed. */
  FormedBatch batch();
}
