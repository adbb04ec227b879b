package io.nereid.engine.scheduling.journal.replay;

import io.nereid.config.BatchCostSettings;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.journal.Entry;
import io.nereid.engine.scheduling.journal.JournalRecord.Decision;
import io.nereid.engine.scheduling.policy.BatchCost;
import io.nereid.engine.scheduling.policy.PredictedWait;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The text of the decisions of one scheduler, in order; it keeps the requests that wait. */
final class DecisionText {
  /** A request that waits or is being executed. */
  private record Known(String id, long rows, int weight, long sinceNanos) {}

  private static final Known UNKNOWN = new Known("", 0, 0, 0);

  /** Of the batch that is described; null if the cost of a batch has no limit. */
  private final @Nullable BatchCost cost;

  private final boolean isBatching;
  private final Map<Long, Known> waiting = new LinkedHashMap<>();

  /** The request of which the head has come last; it does not wait. */
  private Entry.@Nullable Arrived announced;

  /** By instance: the requests of its batches, in the order of their dispatch. */
  private final Map<Integer, Deque<Map<Long, Known>>> running = new HashMap<>();

  private long now;

  /** The instance that executed its batch last in this decision; -1 if none did. */
  private int executed = -1;

  /**
   * @param isBatching false if each request is a batch of its own
   * @param costs null if the cost of a batch has no limit
   */
  DecisionText(boolean isBatching, @Nullable BatchCostSettings costs) {
    this.isBatching = isBatching;
    cost = costs == null ? null : new BatchCost(costs);
  }

  /** Returns a line for the events, then one for each action; none if there are neither. */
  List<String> lines(Decision decision) {
    List<String> events = new ArrayList<>();
    List<String> actions = new ArrayList<>();
    boolean idle = true;
    executed = -1;
    for (Entry entry : decision.entries()) {
      String text = text(entry);
      if (entry instanceof Entry.Action) {
        actions.add("    -> " + text);
        idle &= entry instanceof Entry.Idled;
      } else if (!text.isEmpty()) {
        events.add(text);
      }
    }
    if (events.isEmpty() && actions.isEmpty()) {
      return List.of();
    }
    if (idle && !waiting.isEmpty()) {
      actions.add("    -> " + queueText(decision.wakeNanos()));
    }
    actions.addFirst(events.isEmpty() ? "the timer expired" : String.join("; ", events));
    return actions;
  }

  /** The time of the last event. */
  long now() {
    return now;
  }

  private String text(Entry entry) {
    return switch (entry) {
      case Entry.At(long nanos) -> {
        now = nanos;
        yield "";
      }
      case Entry.Arrived arrived -> {
        waiting.put(
            arrived.ticket(),
            new Known(arrived.id(), arrived.rows(), arrived.weight(), arrived.arrivalNanos()));
        yield "request %s arrived".formatted(named(arrived.ticket(), arrived.id()))
            + (arrived.rows() == 1 ? "" : " with " + arrived.rows() + " rows")
            + (cost == null ? "" : " of weight " + arrived.weight());
      }
      case Entry.Announced(Entry.Arrived head) -> {
        announced = head;
        yield "the head of request " + named(head.ticket(), head.id()) + " came";
      }
      case Entry.Cancelled(long ticket) -> "request " + named(ticket) + " was cancelled";
      case Entry.Rescheduled(long ticket, _) -> {
        Known known = running(ticket);
        waiting.put(ticket, new Known(known.id(), known.rows(), known.weight(), now));
        yield "request " + named(ticket) + " is rescheduled";
      }
      case Entry.Ready(int instance) ->
          instance == executed ? "" : "instance " + instance + " is ready";
      case Entry.CutShort(int instance) -> "the batch of instance " + instance + " was cut short";
      case Entry.Executed(int instance, _) -> {
        executed = instance;
        batches(instance).poll();
        yield "instance " + instance + " has executed its batch";
      }
      case Entry.Woken(int instance) -> "instance " + instance + " is woken";
      case Entry.Idled(int instance) -> "instance " + instance + " becomes idle";
      case Entry.InstanceAdded(int instance, _) -> "instance " + instance + " was added";
      case Entry.InstanceRemoved(int instance) -> "instance " + instance + " was removed";
      case Entry.Stopped() -> "the scheduler was stopped";
      case Entry.RuleResult _ -> "";
      case Entry.Dispatched dispatched -> dispatched(dispatched);
      case Entry.Rejected(long ticket, var rejection) -> {
        String request = named(ticket);
        waiting.remove(ticket);
        yield "request %s is rejected: %s".formatted(request, Descriptions.of(rejection));
      }
      case Entry.Refused(long ticket, PredictedWait wait) -> {
        String request =
            announced != null && announced.ticket() == ticket
                ? named(ticket, announced.id())
                : named(ticket);
        waiting.remove(ticket);
        yield "request %s is refused: it would wait for %s, and may wait for %s; %s ahead of it"
            .formatted(
                request,
                Descriptions.millis(wait.nanos()),
                Descriptions.millis(wait.limitNanos()),
                Descriptions.counted(wait.requestsAhead(), "request"));
      }
      case Entry.Ended(long first) -> "the sequence that request " + first + " started has ended";
      case Entry.Failed(String exception) -> "the scheduler FAILED: " + exception;
    };
  }

  private String dispatched(Entry.Dispatched dispatched) {
    List<String> names = new ArrayList<>();
    Map<Long, Known> batch = new HashMap<>();
    long rows = 0;
    long oldest = now;
    int waited = waiting.size();
    if (cost != null) {
      cost.clear();
    }
    for (long ticket : dispatched.tickets()) {
      names.add(ticket == 0 ? "padding" : named(ticket));
      Known known = waiting.remove(ticket);
      if (known != null) {
        batch.put(ticket, known);
        rows += known.rows();
        if (cost != null) {
          cost.add(known.rows(), known.weight());
        }
        oldest = Math.min(oldest, known.sinceNanos());
      }
    }
    batches(dispatched.instance()).add(batch);
    return "batch of %s, %s%s, to instance %d once it %s: until then %s waited, and %s. The oldest waited %s; %s in the queue. [%s]"
        .formatted(
            Descriptions.counted(batch.size(), "request"),
            Descriptions.counted(rows, "row"),
            cost == null
                ? ""
                : ", cost %d with %d of padding".formatted(cost.cost(), cost.padding()),
            dispatched.instance(),
            dispatched.instance() == executed ? "had executed its batch" : "was ready",
            Descriptions.counted(waited, "request"),
            isBatching
                ? Descriptions.of(dispatched.reason())
                : "each request is a batch of its own",
            Descriptions.millis(now - oldest),
            switch (waiting.size()) {
              case 0 -> "none is left";
              case 1 -> "1 is left";
              default -> waiting.size() + " are left";
            },
            String.join(", ", names));
  }

  private String queueText(long wakeNanos) {
    long oldest = now;
    for (Known known : waiting.values()) {
      oldest = Math.min(oldest, known.sinceNanos());
    }
    return "%s in the queue, the oldest for %s; %s"
        .formatted(
            Descriptions.counted(waiting.size(), "request"),
            Descriptions.millis(now - oldest),
            wakeNanos == Ticket.NEVER
                ? "waiting for an instance"
                : "next due at " + Descriptions.seconds(wakeNanos));
  }

  private Known running(long ticket) {
    for (Deque<Map<Long, Known>> batches : running.values()) {
      for (Map<Long, Known> batch : batches) {
        Known known = batch.remove(ticket);
        if (known != null) {
          return known;
        }
      }
    }
    return UNKNOWN;
  }

  private Deque<Map<Long, Known>> batches(int instance) {
    return running.computeIfAbsent(instance, _ -> new ArrayDeque<>());
  }

  private String named(long ticket) {
    return named(ticket, waiting.getOrDefault(ticket, UNKNOWN).id());
  }

  private static String named(long ticket, String id) {
    return id.isEmpty() ? "" + ticket : ticket + " '" + id.replaceAll("\\p{Cntrl}", "?") + "'";
  }
}
