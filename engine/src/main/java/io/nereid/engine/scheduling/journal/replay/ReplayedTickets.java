package io.nereid.engine.scheduling.journal.replay;

import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.journal.Entry;
import io.nereid.engine.scheduling.policy.DispatchReason;
import io.nereid.engine.scheduling.policy.PredictedWait;
import io.nereid.engine.scheduling.policy.Rejection;
import io.nereid.engine.scheduling.policy.SchedulingActions;
import io.nereid.request.RequestOptions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tickets of a replayed scheduler, until they are rejected, or executed and not rescheduled:
 * until then events can refer to them.
 */
public final class ReplayedTickets implements SchedulingActions {
  private static final class ReplayedTicket extends Ticket {
    private final String id;

    ReplayedTicket(
        String id, long rows, long arrivalNanos, long deadlineNanos, RequestOptions options) {
      super(rows, arrivalNanos, deadlineNanos, options);
      this.id = id;
    }

    @Override
    public String id() {
      return id;
    }
  }

  private final Map<Long, Ticket> tickets = new HashMap<>();

  /** By instance: the tickets of its batches, in the order of their dispatch. */
  private final Map<Integer, Deque<List<Long>>> running = new HashMap<>();

  Ticket arrive(Entry.Arrived arrived) {
    Ticket ticket = ticket(arrived);
    tickets.put(arrived.ticket(), ticket);
    return ticket;
  }

  /** A ticket to which no event refers. */
  static Ticket ticket(Entry.Arrived arrived) {
    var options =
        new RequestOptions(
            arrived.sequenceId(),
            arrived.sequenceStart(),
            arrived.sequenceEnd(),
            arrived.priority(),
            arrived.timeoutMicros(),
            Map.of());
    var ticket =
        new ReplayedTicket(
            arrived.id(), arrived.rows(), arrived.arrivalNanos(), arrived.deadlineNanos(), options);
    ticket.batchKey(arrived.batchClass());
    ticket.setWeight(arrived.weight());
    ticket.setAnnounced(arrived.announced());
    ticket.setClient(arrived.client());
    return arrived.ensembleStep() ? ticket.asStep() : ticket;
  }

  /** The ticket of that number; if it is gone, another one, which is in no queue either. */
  Ticket of(long number) {
    Ticket ticket = tickets.get(number);
    if (ticket == null) {
      ticket = new ReplayedTicket("", 1, 0, Ticket.NEVER, RequestOptions.NONE);
      ticket.number(number);
    }
    return ticket;
  }

  /** The ticket of a request that is to be executed again, with its new batch key. */
  Ticket reschedule(Entry.Rescheduled rescheduled) {
    Ticket ticket = of(rescheduled.ticket());
    ticket.batchKey(rescheduled.batchClass());
    running
        .values()
        .forEach(batches -> batches.forEach(batch -> batch.remove(rescheduled.ticket())));
    return ticket;
  }

  void executed(int instance) {
    List<Long> batch = batches(instance).poll();
    if (batch != null) {
      batch.forEach(tickets::remove);
    }
  }

  private Deque<List<Long>> batches(int instance) {
    return running.computeIfAbsent(instance, _ -> new ArrayDeque<>());
  }

  @Override
  public void wake(int instance) {}

  @Override
  public void idle(int instance) {}

  @Override
  public void dispatch(int instance, @Nullable Ticket[] batch, int size, DispatchReason reason) {
    List<Long> numbers = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      Ticket ticket = batch[i];
      if (ticket != null) {
        numbers.add(ticket.number());
      }
    }
    batches(instance).add(numbers);
  }

  @Override
  public void reject(Ticket ticket, Rejection rejection) {
    tickets.remove(ticket.number());
  }

  @Override
  public void refuse(Ticket ticket, PredictedWait wait) {
    tickets.remove(ticket.number());
  }
}
