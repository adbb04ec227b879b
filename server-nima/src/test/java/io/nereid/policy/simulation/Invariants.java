package io.nereid.policy.simulation;

import io.nereid.policy.Ticket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What holds for every scheduler, whatever it decides: a request ends once, as executed or as
 * refused, and an instance runs one batch at a time, of equal keys and not too large.
 */
final class Invariants {
  private final int maxRows;
  private final Set<Ticket> waiting = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<Ticket> ended = Collections.newSetFromMap(new IdentityHashMap<>());
  private final NavigableMap<Integer, List<Ticket>> running = new TreeMap<>();
  private final Set<Integer> present = new HashSet<>();
  private final Set<Integer> leaving = new HashSet<>();
  private @Nullable Ticket arriving;

  Invariants(int maxRows) {
    this.maxRows = maxRows;
  }

  void arrives(Ticket ticket) {
    arriving = ticket;
    waiting.add(ticket);
  }

  void hasArrived() {
    arriving = null;
  }

  void added(int instance) {
    present.add(instance);
    leaving.remove(instance);
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

  /** What an instance has run. */
  List<Ticket> finished(int instance) {
    List<Ticket> batch = running.remove(instance);
    if (batch == null) {
      throw new IllegalStateException("instance " + instance + " runs nothing");
    }
    ended.addAll(batch);
    return batch;
  }

  int waiting() {
    return waiting.size();
  }

  void check(Step step) {
    switch (step) {
      case Step.Dispatch dispatch -> dispatched(dispatch);
      case Step.Refuse refuse -> {
        require(waiting.remove(refuse.ticket()), "a request is refused that does not wait");
        require(
            refuse.refusal().afterAdmission() != (refuse.ticket() == arriving),
            "a request is refused for a reason of another moment");
        ended.add(refuse.ticket());
      }
      case Step.End _ -> {}
    }
  }

  private void dispatched(Step.Dispatch dispatch) {
    int instance = dispatch.instance();
    require(present.contains(instance), "a batch goes to an instance that is not there");
    require(!running.containsKey(instance), "a batch goes to a busy instance");
    List<Ticket> batch = new ArrayList<>();
    long rows = 0;
    for (Ticket ticket : dispatch.batch()) {
      if (ticket == null) {
        rows++;
      } else {
        rows += ticket.rows();
        batch.add(ticket);
      }
    }
    require(!batch.isEmpty(), "a batch is empty");
    require(rows <= maxRows || batch.size() == 1, "a batch is too large");
    for (Ticket ticket : batch) {
      require(waiting.remove(ticket), "a request runs that does not wait");
      require(ticket.batchKey().equals(batch.getFirst().batchKey()), "a batch has two keys");
    }
    running.put(instance, batch);
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new Violation(otherwise);
    }
  }
}
