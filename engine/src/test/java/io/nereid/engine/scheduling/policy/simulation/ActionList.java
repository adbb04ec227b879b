package io.nereid.engine.scheduling.policy.simulation;

import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.DispatchReason;
import io.nereid.engine.scheduling.policy.NamedTicket;
import io.nereid.engine.scheduling.policy.PredictedWait;
import io.nereid.engine.scheduling.policy.Rejection;
import io.nereid.engine.scheduling.policy.SchedulingActions;
import io.nereid.engine.scheduling.policy.simulation.Action.Row;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A list of the actions of a policy. The runs of sequences are named after their first request: a
 * policy's own objects by {@link #accepted}; a reference model uses {@link Row}s as names.
 */
final class ActionList implements SchedulingActions {
  /** The reasons on which later decisions depend. */
  private static final Set<DispatchReason> REASONS =
      EnumSet.of(DispatchReason.DELAY_PASSED, DispatchReason.DELAY_SKIPPED);

  private final IdentityHashMap<Object, Integer> runs = new IdentityHashMap<>();
  private List<Action> actions = new ArrayList<>();

  /** Names the run of an admitted request, if it is the first of its run. */
  void accepted(Ticket ticket) {
    Object run = ticket.sequence;
    if (run != null) {
      runs.putIfAbsent(run, (Integer) NamedTicket.nameOf(ticket));
    }
  }

  @Override
  public void wake(int instance) {
    actions.add(new Action.Wake(instance));
  }

  @Override
  public void idle(int instance) {
    actions.add(new Action.Idle(instance));
  }

  @Override
  public void dispatch(int instance, @Nullable Ticket[] batch, int size, DispatchReason reason) {
    List<@Nullable Row> rows = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      Ticket ticket = batch[i];
      rows.add(ticket == null ? null : row(ticket));
    }
    actions.add(new Action.Dispatch(instance, rows, reason));
  }

  private Row row(Ticket ticket) {
    if (NamedTicket.nameOf(ticket) instanceof Row row) {
      return row;
    }
    Object run = ticket.sequence;
    return new Row(
        (Integer) NamedTicket.nameOf(ticket),
        run == null ? null : runs.get(run),
        ticket.sequenceId(),
        ticket.sequenceStart(),
        ticket.sequenceEnd());
  }

  @Override
  public void reject(Ticket ticket, Rejection rejection) {
    actions.add(new Action.Reject((Integer) NamedTicket.nameOf(ticket), rejection));
  }

  @Override
  public void refuse(Ticket ticket, PredictedWait wait) {
    actions.add(new Action.Refuse((Integer) NamedTicket.nameOf(ticket), wait));
  }

  @Override
  public void ended(Object sequence) {
    Integer run = runs.get(sequence);
    actions.add(new Action.Ended(run == null ? sequence : run));
  }

  @Override
  public void restarted(Ticket ticket) {
    actions.add(new Action.Restarted((Integer) NamedTicket.nameOf(ticket)));
  }

  /** Removes and returns the actions since the last call. */
  List<Action> take() {
    if (actions.isEmpty()) {
      return List.of();
    }
    List<Action> taken = actions;
    actions = new ArrayList<>();
    return taken;
  }

  /** What must be equal: all but most reasons, and the order of actions other than dispatches. */
  static List<Object> comparable(List<Action> actions) {
    if (actions.isEmpty()) {
      return List.of();
    }
    Set<Action> unordered = new HashSet<>();
    List<Object> outcome = new ArrayList<>();
    outcome.add(unordered);
    for (Action action : actions) {
      switch (action) {
        case Action.Dispatch(var instance, var batch, var reason) -> {
          outcome.add(instance);
          outcome.add(batch);
          outcome.add(REASONS.contains(reason) ? reason : "another reason");
        }
        case Action.Wake _,
            Action.Idle _,
            Action.Reject _,
            Action.Refuse _,
            Action.Restarted _,
            Action.Ended _ ->
            unordered.add(action);
      }
    }
    return outcome;
  }
}
