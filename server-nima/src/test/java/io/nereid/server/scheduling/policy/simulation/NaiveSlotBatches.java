package io.nereid.server.scheduling.policy.simulation;

import io.nereid.config.BatchingSettings;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.server.request.Ticket;
import io.nereid.server.scheduling.policy.DispatchReason;
import io.nereid.server.scheduling.policy.SchedulingActions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an instance gets of its sequences' requests, by either strategy. */
final class NaiveSlotBatches {
  private final NaiveSlots slots;
  private final Strategy strategy;
  private final int maxRows;

  NaiveSlotBatches(NaiveSlots slots, Strategy strategy, int maxBatchSize) {
    this.slots = slots;
    this.strategy = strategy;
    this.maxRows = Math.max(1, maxBatchSize);
  }

  /** When an instance's batch is due, if nothing happens before: now, later, or never. */
  long due(int instance, long now) {
    return switch (strategy) {
      case Strategy.Direct direct -> due(heads(instance), direct, now);
      case Strategy.Oldest oldest -> {
        List<NaiveRequest> waiting = slots.candidates(instance);
        NaiveBatch batch = waiting.isEmpty() ? null : oldest(instance, oldest, now);
        yield batch == null ? Ticket.NEVER : batch.waits() ? batch.due() : now;
      }
    };
  }

  /** Dispatches the batch that is due. */
  void dispatch(int instance, long now, SchedulingActions actions) {
    switch (strategy) {
      case Strategy.Direct direct -> direct(instance, direct, now, actions);
      case Strategy.Oldest oldest -> {
        NaiveBatch batch = oldest(instance, oldest, now);
        slots.patience(instance).sent(batch);
        List<NaiveRequest> waiting = slots.candidates(instance);
        List<NaiveRequest> sent = new ArrayList<>(waiting.subList(0, batch.size()));
        waiting.removeAll(sent);
        slots.running.put(instance, sent);
        Ticket[] rows = sent.stream().map(NaiveRequest::row).toArray(Ticket[]::new);
        actions.dispatch(instance, rows, rows.length, batch.reason());
      }
    }
  }

  private NaiveBatch oldest(int instance, Strategy.Oldest settings, long now) {
    var batching =
        BatchingSettings.of(settings.preferredBatchSizes(), settings.maxQueueDelayMicros());
    List<Ticket> queue = slots.candidates(instance).stream().map(NaiveRequest::row).toList();
    return slots.patience(instance).apply(NaiveBatch.form(queue, now, batching, maxRows, 0));
  }

  /** By slot, the request that is next; null if none is. */
  private List<@Nullable NaiveRequest> heads(int instance) {
    List<@Nullable NaiveRequest> heads = new ArrayList<>();
    for (int number = 0; number < slots.count(); number++) {
      NaiveSequence holder = slots.holder(new NaiveSlot(instance, number));
      heads.add(holder == null ? null : holder.waiting.stream().findFirst().orElse(null));
    }
    return heads;
  }

  private long due(List<@Nullable NaiveRequest> heads, Strategy.Direct settings, long now) {
    List<NaiveRequest> ready = present(heads);
    if (ready.isEmpty()) {
      return Ticket.NEVER;
    }
    boolean few = ready.size() < settings.minimumSlotUtilization() * slots.count() - 1e-6;
    if (settings.maxQueueDelayMicros() == 0 || !few) {
      return now;
    }
    long oldest = ready.stream().mapToLong(each -> each.sinceNanos).min().orElseThrow();
    return Math.max(now, NaiveTimes.plusMicros(oldest, settings.maxQueueDelayMicros()));
  }

  private static List<NaiveRequest> present(List<@Nullable NaiveRequest> heads) {
    List<NaiveRequest> present = new ArrayList<>();
    for (NaiveRequest head : heads) {
      if (head != null) {
        present.add(head);
      }
    }
    return present;
  }

  private void direct(int instance, Strategy.Direct settings, long now, SchedulingActions actions) {
    List<@Nullable NaiveRequest> heads = heads(instance);
    List<NaiveRequest> ready = present(heads);
    boolean few = ready.size() < settings.minimumSlotUtilization() * slots.count() - 1e-6;
    boolean late = settings.maxQueueDelayMicros() != 0 && few;
    Object key = ready.getFirst().ticket.batchKey();
    int rows = 0;
    @Nullable Ticket[] batch = new @Nullable Ticket[heads.size()];
    List<NaiveRequest> sent = new ArrayList<>();
    for (int number = 0; number < heads.size(); number++) {
      NaiveRequest head = heads.get(number);
      rows = head == null ? rows : number + 1;
      if (head != null && head.ticket.batchKey().equals(key)) {
        batch[number] = head.row();
        sent.add(head);
      }
    }
    slots.running.put(instance, sent);
    sent.forEach(each -> each.sequence.waiting.remove(each));
    actions.dispatch(
        instance, batch, rows, late ? DispatchReason.DELAY_PASSED : DispatchReason.SLOTS_READY);
    for (NaiveRequest each : List.copyOf(sent)) {
      each.slot = each.sequence.slot;
      slots.giveAll(now);
    }
  }
}
