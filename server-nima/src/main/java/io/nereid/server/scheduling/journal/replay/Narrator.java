package io.nereid.server.scheduling.journal.replay;

import io.nereid.server.request.Ticket;
import io.nereid.server.scheduling.journal.Entry;
import io.nereid.server.scheduling.journal.JournalRecord.Decision;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Tells the decisions of one scheduler in plain words, with what was waiting at the time. */
final class Narrator {
  /** A request that waits or is executed. */
  private record Known(String id, long rows, long sinceNanos) {}

  private static final Known UNKNOWN = new Known("", 0, 0);

  private final Map<Long, Known> waiting = new LinkedHashMap<>();
  private final Map<Integer, Map<Long, Known>> running = new HashMap<>();
  private long now;

  /** The instance that has finished last in the decision being told; -1: none. */
  private int finished = -1;

  /** What happened, and below it each step; nothing if nothing happened. */
  List<String> tell(Decision decision) {
    List<String> events = new ArrayList<>();
    List<String> actions = new ArrayList<>();
    boolean atRest = true;
    finished = -1;
    for (Entry entry : decision.entries()) {
      String words = words(entry);
      if (entry instanceof Entry.Action) {
        actions.add("    -> " + words);
        atRest &= entry instanceof Entry.Rested;
      } else if (!words.isEmpty()) {
        events.add(words);
      }
    }
    if (events.isEmpty() && actions.isEmpty()) {
      return List.of();
    }
    if (atRest && !waiting.isEmpty()) {
      actions.add("    -> " + patience(decision.wakeNanos()));
    }
    actions.addFirst(events.isEmpty() ? "its time has come" : String.join("; ", events));
    return actions;
  }

  /** The time of what was told last. */
  long now() {
    return now;
  }

  private String words(Entry entry) {
    return switch (entry) {
      case Entry.At(long nanos) -> {
        now = nanos;
        yield "";
      }
      case Entry.Arrived arrived -> {
        waiting.put(
            arrived.ticket(), new Known(arrived.id(), arrived.rows(), arrived.arrivalNanos()));
        yield "request %s came".formatted(named(arrived.ticket(), arrived.id()))
            + (arrived.rows() == 1 ? "" : " with " + arrived.rows() + " rows");
      }
      case Entry.Cancelled(long ticket) -> "request " + named(ticket) + " was called off";
      case Entry.Rescheduled(long ticket, _) -> {
        Known known = running(ticket);
        waiting.put(ticket, new Known(known.id(), known.rows(), now));
        yield "request " + named(ticket) + " is to run again";
      }
      case Entry.Ready(int instance) ->
          instance == finished ? "" : "instance " + instance + " has come";
      case Entry.Executed(int instance, _) -> {
        finished = instance;
        running.remove(instance);
        yield "instance " + instance + " has finished";
      }
      case Entry.Called(int instance) -> "instance " + instance + " is called";
      case Entry.Rested(int instance) -> "instance " + instance + " rests";
      case Entry.InstanceAdded(int instance, _) -> "instance " + instance + " was added";
      case Entry.InstanceRemoved(int instance) -> "instance " + instance + " was removed";
      case Entry.Stopped() -> "the model was told to stop";
      case Entry.RuleAnswer _ -> "";
      case Entry.Dispatched dispatched -> dispatched(dispatched);
      case Entry.Rejected(long ticket, var rejection) -> {
        String request = named(ticket);
        waiting.remove(ticket);
        yield "request %s is rejected: %s".formatted(request, Words.why(rejection));
      }
      case Entry.Ended(long first) -> "the sequence that began with request " + first + " is over";
      case Entry.Failed(String exception) -> "the scheduler FAILED: " + exception;
    };
  }

  private String dispatched(Entry.Dispatched dispatched) {
    List<String> names = new ArrayList<>();
    Map<Long, Known> batch = new HashMap<>();
    long rows = 0;
    long oldest = now;
    for (long ticket : dispatched.tickets()) {
      names.add(ticket == 0 ? "padding" : named(ticket));
      Known known = waiting.remove(ticket);
      if (known != null) {
        batch.put(ticket, known);
        rows += known.rows();
        oldest = Math.min(oldest, known.sinceNanos());
      }
    }
    running.put(dispatched.instance(), batch);
    return "batch of %s, %s, to instance %d: %s. The oldest waited %s; %s. [%s]"
        .formatted(
            Words.counted(batch.size(), "request"),
            Words.counted(rows, "row"),
            dispatched.instance(),
            Words.why(dispatched.reason()),
            Words.millis(now - oldest),
            waiting.isEmpty() ? "no other waits" : waiting.size() + " more wait",
            String.join(", ", names));
  }

  private String patience(long wakeNanos) {
    long oldest = now;
    for (Known known : waiting.values()) {
      oldest = Math.min(oldest, known.sinceNanos());
    }
    return "%s in the queue, the oldest for %s; %s"
        .formatted(
            Words.counted(waiting.size(), "request"),
            Words.millis(now - oldest),
            wakeNanos == Ticket.NEVER
                ? "they wait for an instance"
                : "nothing is due before " + Words.seconds(wakeNanos));
  }

  private Known running(long ticket) {
    for (Map<Long, Known> batch : running.values()) {
      Known known = batch.remove(ticket);
      if (known != null) {
        return known;
      }
    }
    return UNKNOWN;
  }

  private String named(long ticket) {
    return named(ticket, waiting.getOrDefault(ticket, UNKNOWN).id());
  }

  private static String named(long ticket, String id) {
    return id.isEmpty() ? "" + ticket : ticket + " '" + id.replaceAll("\\p{Cntrl}", "?") + "'";
  }
}
