package io.nereid.engine.scheduling.journal;

import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.DispatchReason;
import io.nereid.engine.scheduling.policy.PredictedWait;
import io.nereid.engine.scheduling.policy.Rejection;
import io.nereid.engine.scheduling.policy.SchedulingActions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Records the actions of a decision before they are taken. Used by the thread that decides. */
final class RecordingActions implements SchedulingActions {
  private final OpenDecision decision;
  private @Nullable SchedulingActions target;

  RecordingActions(OpenDecision decision) {
    this.decision = decision;
  }

  /** This, which passes actions on. */
  SchedulingActions to(SchedulingActions actions) {
    target = actions;
    return this;
  }

  private SchedulingActions target() {
    return Objects.requireNonNull(target, "an action outside of an event");
  }

  @Override
  public void wake(int instance) {
    decision.add(new Entry.Woken(instance));
    target().wake(instance);
  }

  @Override
  public void idle(int instance) {
    decision.add(new Entry.Idled(instance));
    target().idle(instance);
  }

  @Override
  public void dispatch(int instance, @Nullable Ticket[] batch, int size, DispatchReason reason) {
    List<Long> numbers = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      Ticket ticket = batch[i];
      if (ticket == null) {
        numbers.add(0L);
      } else {
        numbers.add(ticket.number());
        decision.left(ticket);
      }
    }
    decision.add(new Entry.Dispatched(instance, reason, numbers));
    target().dispatch(instance, batch, size, reason);
  }

  @Override
  public void reject(Ticket ticket, Rejection rejection) {
    decision.left(ticket);
    decision.add(new Entry.Rejected(ticket.number(), rejection));
    target().reject(ticket, rejection);
  }

  @Override
  public void refuse(Ticket ticket, PredictedWait wait) {
    decision.left(ticket);
    decision.add(new Entry.Refused(ticket.number(), wait));
    target().refuse(ticket, wait);
  }

  @Override
  public void ended(Object sequence) {
    decision.add(new Entry.Ended(decision.ended(sequence)));
    target().ended(sequence);
  }

  @Override
  public void restarted(Ticket ticket) {
    target().restarted(ticket); // follows from the arrival
  }
}
