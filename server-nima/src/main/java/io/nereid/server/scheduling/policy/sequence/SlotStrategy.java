package io.nereid.server.scheduling.policy.sequence;

import io.nereid.server.request.Ticket;
import io.nereid.server.scheduling.policy.DispatchReason;
import org.jspecify.annotations.Nullable;

/**
 * Which requests of one instance's sequences share a batch, and when it goes. It is told of every
 * change at a slot, and asked for a batch while the instance is not busy; taking the requests of
 * that batch out of their queues is the caller's part.
 */
sealed interface SlotStrategy permits DirectSlots, OldestSlots {
  /** Another request, or none any more, is the next one at that slot. */
  void changed(Slot slot, long now);

  /** The slot's request in flight has been executed, or will not be. */
  void landed(Slot slot);

  /** The batch goes as it was formed. */
  void dispatched();

  /**
   * The instance has executed its batch; before any slot's request has {@link #landed}.
   *
   * @param endNanos when the model had ended
   */
  void executed(long endNanos);

  /** Whether no request waits for the next batch. */
  boolean isEmpty();

  /** Forms a batch; the requests stay where they wait. */
  void form(long now);

  /** Forgets the batch, or it would keep its requests alive. */
  void forget();

  /** The batch to dispatch; the first {@link #size} count, null is a padding row. */
  @Nullable Ticket[] batch();

  /** Rows to dispatch; 0: wait. */
  int size();

  DispatchReason reason();

  /** When to form again, if nothing happens before. */
  long waitUntil();
}
