package io.nereid.policy.simulation;

import io.nereid.config.BatchingSettings;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.policy.DispatchReason;
import io.nereid.policy.Steps;
import io.nereid.policy.Ticket;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an idle instance gets of its sequences' requests, by either strategy. */
final class NaiveSlotBatches {
  private final NaiveSlots slots;
  private final Strategy strategy;
  private final int maxRows;

  NaiveSlotBatches(NaiveSlots slots, Strategy strategy, int maxBatchSize) {
    this.slots = slots;
    this.strategy = strategy;
    this.maxRows = Math.max(1, maxBatchSize);
  }

  /** Dispatches a batch, if one is due; returns when one is if nothing happens before. */
  long dispatch(int instance, long now, Steps steps) {
    return switch (strategy) {
      case Strategy.Direct direct -> direct(instance, direct, now, steps);
      case Strategy.Oldest oldest -> oldest(instance, oldest, now, steps);
    };
  }

  private long direct(int instance, Strategy.Direct strategy, long now, Steps steps) {
    NaiveRequest[] ready = new NaiveRequest[slots.count()];
    int count = 0;
    int rows = 0;
    long oldest = Ticket.NEVER;
    Object key = null;
    for (int number = 0; number < slots.count(); number++) {
      var slot = new NaiveSlot(instance, number);
      NaiveSequence holder = slots.holder(slot);
      if (holder != null && !holder.waiting.isEmpty()) {
        NaiveRequest next = holder.waiting.getFirst();
        ready[number] = next;
        count++;
        rows = number + 1;
        oldest = Math.min(oldest, next.sinceNanos);
        key = key == null ? next.ticket.batchKey() : key;
      }
    }
    if (count == 0) {
      return Ticket.NEVER;
    }
    var reason = DispatchReason.SLOTS_READY;
    boolean few = count < strategy.minimumSlotUtilization() * slots.count() - 1e-6;
    if (strategy.maxQueueDelayMicros() != 0 && few) {
      long due = NaiveTimes.plusMicros(oldest, strategy.maxQueueDelayMicros());
      if (now < due) {
        return due;
      }
      reason = DispatchReason.DELAY_PASSED;
    }
    @Nullable Ticket[] batch = new @Nullable Ticket[rows];
    List<NaiveRequest> sent = new ArrayList<>();
    for (int number = 0; number < rows; number++) {
      NaiveRequest request = ready[number];
      if (request != null && request.ticket.batchKey().equals(key)) {
        batch[number] = request.row();
        sent.add(request);
      }
    }
    slots.running.put(instance, sent);
    sent.forEach(each -> each.sequence.waiting.remove(each));
    steps.dispatch(instance, batch, rows, reason);
    for (NaiveRequest each : List.copyOf(sent)) {
      each.slot = each.sequence.slot;
      slots.giveAll(now);
    }
    return Ticket.NEVER;
  }

  private long oldest(int instance, Strategy.Oldest strategy, long now, Steps steps) {
    List<NaiveRequest> waiting = slots.candidates(instance);
    if (waiting.isEmpty()) {
      return Ticket.NEVER;
    }
    var batching =
        BatchingSettings.of(strategy.preferredBatchSizes(), strategy.maxQueueDelayMicros());
    List<Ticket> queue = waiting.stream().map(NaiveRequest::row).toList();
    NaiveBatch batch =
        slots.patience(instance).apply(NaiveBatch.form(queue, now, batching, maxRows, 0));
    if (batch.waits()) {
      return batch.due();
    }
    List<NaiveRequest> sent = new ArrayList<>(waiting.subList(0, batch.size()));
    waiting.removeAll(sent);
    slots.running.put(instance, sent);
    Ticket[] rows = queue.subList(0, sent.size()).toArray(Ticket[]::new);
    steps.dispatch(instance, rows, rows.length, batch.reason());
    return Ticket.NEVER;
  }
}
