package io.nereid.engine.scheduling.policy.simulation;

import io.nereid.config.BatchingSettings;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.DispatchReason;
import io.nereid.engine.scheduling.policy.SchedulingActions;
import io.nereid.engine.scheduling.policy.simulation.ReferenceSlots.Slot;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The reference model of both strategies, which select the requests of a batch. */
final class ReferenceSlotBatches {
  private final ReferenceSlots slots;
  private final Strategy strategy;
  private final int maxRows;

  ReferenceSlotBatches(ReferenceSlots slots, Strategy strategy, int maxBatchSize) {
    this.slots = slots;
    this.strategy = strategy;
    this.maxRows = Math.max(1, maxBatchSize);
  }

  /** When the batch of an instance is due: now, later or never. */
  long due(int instance, long now) {
    return switch (strategy) {
      case Strategy.Direct direct -> due(heads(instance), direct, now);
      case Strategy.Oldest oldest -> {
        List<ReferenceRequest> waiting = slots.candidates(instance);
        ReferenceBatch batch = waiting.isEmpty() ? null : oldest(instance, oldest, now);
        yield batch == null ? Ticket.NEVER : batch.waits() ? batch.due() : now;
      }
    };
  }

  /** Dispatches the batch that is due. */
  void dispatch(int instance, long now, SchedulingActions actions) {
    switch (strategy) {
      case Strategy.Direct direct -> direct(instance, direct, now, actions);
      case Strategy.Oldest oldest -> {
        ReferenceBatch batch = oldest(instance, oldest, now);
        slots.adaptiveDelay(instance).sent(batch);
        List<ReferenceRequest> waiting = slots.candidates(instance);
        List<ReferenceRequest> sent = new ArrayList<>(waiting.subList(0, batch.size()));
        waiting.removeAll(sent);
        slots.running.put(instance, sent);
        Ticket[] rows = sent.stream().map(ReferenceRequest::row).toArray(Ticket[]::new);
        actions.dispatch(instance, rows, rows.length, batch.reason());
      }
    }
  }

  private ReferenceBatch oldest(int instance, Strategy.Oldest settings, long now) {
    var batching =
        BatchingSettings.of(settings.preferredBatchSizes(), settings.maxQueueDelayMicros());
    List<Ticket> queue = slots.candidates(instance).stream().map(ReferenceRequest::row).toList();
    return slots
        .adaptiveDelay(instance)
        .apply(ReferenceBatch.form(queue, now, batching, maxRows, null, 0, _ -> 0));
  }

  /** By slot, the next request; null if none waits. */
  private List<@Nullable ReferenceRequest> heads(int instance) {
    List<@Nullable ReferenceRequest> heads = new ArrayList<>();
    for (int number = 0; number < slots.count(); number++) {
      ReferenceSequence occupant = slots.occupant(new Slot(instance, number));
      heads.add(occupant == null ? null : occupant.waiting.stream().findFirst().orElse(null));
    }
    return heads;
  }

  private long due(List<@Nullable ReferenceRequest> heads, Strategy.Direct settings, long now) {
    List<ReferenceRequest> ready = present(heads);
    if (ready.isEmpty()) {
      return Ticket.NEVER;
    }
    boolean few = ready.size() < settings.minimumSlotUtilization() * slots.count() - 1e-6;
    if (settings.maxQueueDelayMicros() == 0 || !few) {
      return now;
    }
    long oldest = ready.stream().mapToLong(each -> each.sinceNanos).min().orElseThrow();
    return Math.max(now, ReferenceTimes.plusMicros(oldest, settings.maxQueueDelayMicros()));
  }

  private static List<ReferenceRequest> present(List<@Nullable ReferenceRequest> heads) {
    List<ReferenceRequest> present = new ArrayList<>();
    for (ReferenceRequest head : heads) {
      if (head != null) {
        present.add(head);
      }
    }
    return present;
  }

  private void direct(int instance, Strategy.Direct settings, long now, SchedulingActions actions) {
    List<@Nullable ReferenceRequest> heads = heads(instance);
    List<ReferenceRequest> ready = present(heads);
    boolean few = ready.size() < settings.minimumSlotUtilization() * slots.count() - 1e-6;
    boolean late = settings.maxQueueDelayMicros() != 0 && few;
    Object key = ready.getFirst().ticket.batchKey();
    int rows = 0;
    @Nullable Ticket[] batch = new @Nullable Ticket[heads.size()];
    List<ReferenceRequest> sent = new ArrayList<>();
    for (int number = 0; number < heads.size(); number++) {
      ReferenceRequest head = heads.get(number);
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
    for (ReferenceRequest each : List.copyOf(sent)) {
      each.slot = each.sequence.slot;
      slots.assignAll(now);
    }
  }
}
