package io.nereid.policy.simulation;

import io.nereid.policy.DispatchReason;
import io.nereid.policy.NamedTicket;
import io.nereid.policy.Refusal;
import io.nereid.policy.Steps;
import io.nereid.policy.Ticket;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Steps, written down. Sequences are named after their first request: the policy's, which are
 * objects of its own, by {@link #accepted}; a model names them itself, by {@link Row}s in place of
 * names.
 */
final class StepList implements Steps {
  private final IdentityHashMap<Object, Integer> runs = new IdentityHashMap<>();
  private List<Step> steps = new ArrayList<>();

  /** A request has been accepted, perhaps as the first of a sequence. */
  void accepted(Ticket ticket) {
    Object run = ticket.sequence();
    if (run != null) {
      runs.putIfAbsent(run, (Integer) NamedTicket.nameOf(ticket));
    }
  }

  @Override
  public void call(int instance) {
    steps.add(new Step.Call(instance));
  }

  @Override
  public void rest(int instance) {
    steps.add(new Step.Rest(instance));
  }

  @Override
  public void dispatch(int instance, @Nullable Ticket[] batch, int size, DispatchReason reason) {
    List<@Nullable Row> rows = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      Ticket ticket = batch[i];
      rows.add(ticket == null ? null : row(ticket));
    }
    steps.add(new Step.Dispatch(instance, rows, reason));
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
  public void refuse(Ticket ticket, Refusal refusal) {
    steps.add(new Step.Refuse((Integer) NamedTicket.nameOf(ticket), refusal));
  }

  @Override
  public void ended(Object sequence) {
    Integer run = runs.get(sequence);
    steps.add(new Step.End(run == null ? sequence : run));
  }

  /** The steps since the last call. */
  List<Step> take() {
    if (steps.isEmpty()) {
      return List.of();
    }
    List<Step> taken = steps;
    steps = new ArrayList<>();
    return taken;
  }
}
