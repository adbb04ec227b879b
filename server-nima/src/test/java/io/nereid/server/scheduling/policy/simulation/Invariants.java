package io.nereid.server.scheduling.policy.simulation;

import io.nereid.server.scheduling.policy.Rejection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What holds for every scheduler, whatever it decides: a request ends once, as executed or as
 * rejected, and an instance runs one batch at a time, of equal keys and not too large.
 */
final class Invariants {
  private static final int NOBODY = -1;

  private final int maxRows;
  private final SequenceInvariants sequences;
  private final Map<Integer, Event.Arrive> requests = new HashMap<>();
  private final Set<Integer> waiting = new HashSet<>();
  private final NavigableMap<Integer, List<Integer>> running = new TreeMap<>();
  private final Set<Integer> present = new HashSet<>();
  private final NavigableSet<Integer> called = new TreeSet<>();
  private final Set<Integer> asking = new HashSet<>();
  private final Set<Integer> leaving = new HashSet<>();
  private int arriving = NOBODY;
  private int returning = NOBODY;

  Invariants(Subject subject) {
    maxRows = subject.maxRows();
    sequences = new SequenceInvariants(subject);
  }

  void arrives(Event.Arrive request) {
    requests.put(request.name(), request);
    arriving = request.name();
    waits(request.name());
  }

  /** A request comes to run again. */
  void returns(int name) {
    returning = name;
    waits(name);
  }

  private void waits(int name) {
    require(waiting.add(name), "a request waits twice");
  }

  void hasCome() {
    arriving = NOBODY;
    returning = NOBODY;
  }

  void added(int instance) {
    present.add(instance);
    leaving.remove(instance);
    called.remove(instance);
  }

  void removed(int instance) {
    leaving.add(instance);
  }

  /** Whether a new instance can have that number. */
  boolean isFree(int instance) {
    return !present.contains(instance);
  }

  /** Whether the instance takes work. */
  boolean serves(int instance) {
    return present.contains(instance) && !leaving.contains(instance);
  }

  /** The instances that may be dispatched to now or later, and those that run. */
  List<Integer> present() {
    return List.copyOf(present);
  }

  /** An instance has been removed, as the policy says. */
  void gone(int instance) {
    require(leaving.contains(instance), "an instance is gone that was not removed");
    require(!running.containsKey(instance), "an instance is gone that runs");
    present.remove(instance);
  }

  /** The instances that run a batch, lowest first. */
  List<Integer> busy() {
    return List.copyOf(running.keySet());
  }

  /** The instances that have been called and have not come, lowest first; perhaps gone since. */
  List<Integer> called() {
    return List.copyOf(called);
  }

  /** Whether no instance is called or runs. */
  boolean isQuiet() {
    return called.isEmpty() && running.isEmpty();
  }

  /** An instance asks for a batch. */
  void asks(int instance) {
    called.remove(instance);
    asking.add(instance);
  }

  /** What an instance runs, by name. */
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
    require(asking.isEmpty(), "an instance asks and hears nothing");
  }

  void check(Action action) {
    switch (action) {
      case Action.Call(int instance) -> {
        require(present.contains(instance), "an instance is called that is not there");
        require(!running.containsKey(instance), "a busy instance is called");
        require(called.add(instance), "an instance is called twice");
      }
      case Action.Rest(int instance) ->
          require(asking.remove(instance), "an instance is to rest that has not asked");
      case Action.Dispatch dispatch -> {
        dispatched(dispatch);
        sequences.dispatched(dispatch);
      }
      case Action.Reject(int name, var rejection) -> {
        require(waiting.remove(name), "a request is rejected that does not wait");
        require(
            rejection.afterAdmission() != (name == arriving)
                && (rejection == Rejection.SEQUENCE_OVER) == (name == returning),
            "a request is rejected for a reason of another moment");
      }
      case Action.End(Object run) -> sequences.ended(run);
    }
  }

  /** Nothing waits, nothing runs, and nothing will happen any more. */
  void atRest() {
    require(waiting.isEmpty(), waiting.size() + " requests wait forever");
    sequences.atRest();
  }

  private void dispatched(Action.Dispatch dispatch) {
    int instance = dispatch.instance();
    require(present.contains(instance), "a batch goes to an instance that is not there");
    require(!running.containsKey(instance), "a batch goes to a busy instance");
    require(asking.remove(instance), "a batch goes to an instance that has not asked");
    List<Integer> batch = new ArrayList<>();
    Set<String> keys = new HashSet<>();
    long rows = 0;
    for (Row row : dispatch.batch()) {
      if (row == null) {
        rows++;
        continue;
      }
      Event.Arrive request = requests.get(row.name());
      require(request != null && waiting.remove(row.name()), "a request runs that does not wait");
      batch.add(row.name());
      if (request != null) {
        rows += request.rows();
        keys.add(request.key());
      }
    }
    require(!batch.isEmpty(), "a batch is empty");
    require(rows <= maxRows || dispatch.batch().size() == 1, "a batch is too large");
    require(keys.size() == 1, "a batch has several keys");
    running.put(instance, batch);
  }

  static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new Violation(otherwise);
    }
  }
}
