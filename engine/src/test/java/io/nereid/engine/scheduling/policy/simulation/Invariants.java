package io.nereid.engine.scheduling.policy.simulation;

import io.nereid.config.BatchCostSettings;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.PredictedWait;
import io.nereid.engine.scheduling.policy.Rejection;
import io.nereid.engine.scheduling.policy.simulation.Action.Row;
import io.nereid.engine.scheduling.policy.simulation.Simulation.Violation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What holds for every scheduler: each request ends once, executed or rejected, and an instance
 * runs one batch at a time, with equal batch keys and not too many rows.
 */
final class Invariants {
  private static final int NONE = -1;

  private final int maxRows;
  private final boolean limitsWaits;
  private final @Nullable BatchCostSettings costs;
  private final SequenceInvariants sequences;
  private final Map<Integer, Event.Arrive> requests = new HashMap<>();
  private final Set<Integer> waiting = new HashSet<>();
  private final NavigableMap<Integer, List<Integer>> running = new TreeMap<>();
  private final Set<Integer> present = new HashSet<>();
  private final NavigableSet<Integer> woken = new TreeSet<>();
  private final Set<Integer> ready = new HashSet<>();
  private final Set<Integer> draining = new HashSet<>();
  private int arriving = NONE;
  private int rescheduling = NONE;

  Invariants(Configuration configuration) {
    maxRows = configuration.maxRows();
    limitsWaits = configuration.limits().maxWaitNanos() != Ticket.NEVER;
    costs = configuration.costs();
    sequences = new SequenceInvariants(configuration);
  }

  void beginArrival(Event.Arrive request) {
    requests.put(request.name(), request);
    arriving = request.name();
    addWaiting(request.name());
  }

  /** A request is rescheduled. */
  void beginReschedule(int name) {
    rescheduling = name;
    addWaiting(name);
  }

  private void addWaiting(int name) {
    require(waiting.add(name), "a request waits twice");
  }

  void endArrival() {
    arriving = NONE;
    rescheduling = NONE;
  }

  void added(int instance) {
    present.add(instance);
    draining.remove(instance);
    woken.remove(instance);
  }

  void removed(int instance) {
    draining.add(instance);
  }

  /** Whether no instance has that number. */
  boolean isFree(int instance) {
    return !present.contains(instance);
  }

  /** Whether the instance is there and not to be removed. */
  boolean isActive(int instance) {
    return present.contains(instance) && !draining.contains(instance);
  }

  /** The instances that were added and that the policy has not removed. */
  List<Integer> present() {
    return List.copyOf(present);
  }

  /** The policy reports that an instance is removed. */
  void retired(int instance) {
    require(draining.contains(instance), "an instance is removed without a request to remove it");
    require(!running.containsKey(instance), "a busy instance is removed");
    present.remove(instance);
  }

  /** The busy instances, lowest first. */
  List<Integer> busy() {
    return List.copyOf(running.keySet());
  }

  /** The instances that were woken and are not ready, lowest first; some may be removed. */
  List<Integer> woken() {
    return List.copyOf(woken);
  }

  /** Whether no instance is woken or busy. */
  boolean isQuiet() {
    return woken.isEmpty() && running.isEmpty();
  }

  /** An instance is ready for a batch. */
  void ready(int instance) {
    woken.remove(instance);
    ready.add(instance);
  }

  /** The names of the requests that an instance executes. */
  List<Integer> batch(int instance) {
    return running.getOrDefault(instance, List.of());
  }

  /** An instance has executed its batch. */
  void finished(int instance) {
    running.remove(instance);
  }

  int waiting() {
    return waiting.size();
  }

  /** A decision has been made. */
  void decided() {
    require(ready.isEmpty(), "a ready instance gets neither a batch nor idle");
  }

  /** Whether a request arrives if it is rejected as such, or leaves the queue for one that does. */
  private boolean isOfEvent(int name, Rejection rejection) {
    boolean isReplaced = rejection == Rejection.QUEUE_FULL && arriving != NONE;
    return rejection.afterAdmission() != (name == arriving) || isReplaced;
  }

  void check(Action action) {
    switch (action) {
      case Action.Wake(int instance) -> {
        require(present.contains(instance), "an unknown instance is woken");
        require(!running.containsKey(instance), "a busy instance is woken");
        require(woken.add(instance), "an instance is woken twice");
      }
      case Action.Idle(int instance) ->
          require(ready.remove(instance), "an instance that was not ready is made idle");
      case Action.Dispatch dispatch -> {
        dispatched(dispatch);
        sequences.dispatched(dispatch);
      }
      case Action.Reject(int name, var rejection) -> {
        require(waiting.remove(name), "a request that does not wait is rejected");
        require(
            isOfEvent(name, rejection)
                && (rejection == Rejection.SEQUENCE_OVER) == (name == rescheduling),
            "a request is rejected for a reason that does not fit the event");
      }
      case Action.Refuse(int name, PredictedWait prediction) -> {
        require(waiting.remove(name), "a request that does not wait is refused");
        require(name == arriving, "a request is refused that does not arrive");
        refused(Objects.requireNonNull(requests.get(name)), prediction);
      }
      case Action.Restarted(int name) ->
          require(name == arriving, "a sequence is restarted by a request that does not arrive");
      case Action.Ended(Object run) -> sequences.ended(run);
    }
  }

  private void refused(Event.Arrive request, PredictedWait prediction) {
    require(
        limitsWaits || request.timeToDeadlineNanos() >= 0 || request.options().timeoutMicros() != 0,
        "a request without a limit is refused");
    require(!request.ensembleStep(), "a step of an ensemble is refused");
    require(prediction.limitNanos() >= 0, "a limit is negative");
    require(
        prediction.nanos() > 0 && prediction.nanos() >= prediction.limitNanos(),
        "a request is refused that would be in time");
  }

  /** All instances are idle and no event follows. */
  void allFinished() {
    require(waiting.isEmpty(), waiting.size() + " requests wait forever");
    sequences.allFinished();
  }

  private void dispatched(Action.Dispatch dispatch) {
    int instance = dispatch.instance();
    require(present.contains(instance), "a batch goes to an unknown instance");
    require(!running.containsKey(instance), "a batch goes to a busy instance");
    require(ready.remove(instance), "a batch goes to an instance that is not ready");
    List<Integer> batch = new ArrayList<>();
    Set<String> keys = new HashSet<>();
    long rows = 0;
    for (Row row : dispatch.batch()) {
      if (row == null) {
        rows++;
        continue;
      }
      Event.Arrive request = requests.get(row.name());
      require(
          request != null && waiting.remove(row.name()),
          "a request that does not wait is dispatched");
      batch.add(row.name());
      if (request != null) {
        rows += request.rows();
        keys.add(request.key());
      }
    }
    require(!batch.isEmpty(), "a batch is empty");
    require(rows <= maxRows || dispatch.batch().size() == 1, "a batch is too large");
    require(keys.size() == 1, "a batch has several keys");
    require(
        costs == null || batch.size() == 1 || ReferenceCost.of(batch, requests, costs).isAllowed(),
        "a batch costs too much, or has too much padding");
    running.put(instance, batch);
  }

  static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new Violation(otherwise);
    }
  }
}
