package io.nereid.server.scheduling.policy.simulation;

import io.nereid.server.request.Ticket;
import io.nereid.server.scheduling.policy.DispatchReason;
import io.nereid.server.scheduling.policy.NamedTicket;
import io.nereid.server.scheduling.policy.Rejection;
import io.nereid.server.scheduling.policy.SchedulingActions;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * SchedulingActions, written down. Sequences are named after their first request: the policy's,
 * which are objects of its own, by {@link #accepted}; a model names them itself, by {@link Row}s in
 * place of names.
 */
final class ActionList implements SchedulingActions {
  private final IdentityHashMap<Object, Integer> runs = new IdentityHashMap<>();
  private List<Action> actions = new ArrayList<>();

  /** A request has been accepted, perhaps as the first of a sequence. */
  void accepted(Ticket ticket) {
    Object run = ticket.sequence();
    if (run != null) {
      runs.putIfAbsent(run, (Integer) NamedTicket.nameOf(ticket));
    }
  }

  @Override
  public void wake(int instance) {
    actions.add(new Action.Call(instance));
  }

  @Override
  public void idle(int instance) {
    actions.add(new Action.Rest(instance));
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
    Object run = ticket.sequence();
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
  public void ended(Object sequence) {
    Integer run = runs.get(sequence);
    actions.add(new Action.End(run == null ? sequence : run));
  }

  /** The steps since the last call. */
  List<Action> take() {
    if (actions.isEmpty()) {
      return List.of();
    }
    List<Action> taken = actions;
    actions = new ArrayList<>();
    return taken;
  }
}
