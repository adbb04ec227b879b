package io.nereid.policy.simulation;

import io.nereid.policy.DispatchReason;
import io.nereid.policy.Refusal;
import io.nereid.policy.Steps;
import io.nereid.policy.Ticket;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Steps, written down. */
final class StepList implements Steps {
  private List<Step> steps = new ArrayList<>();

  @Override
  public void dispatch(int instance, @Nullable Ticket[] batch, int size, DispatchReason reason) {
    List<@Nullable Ticket> copy = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      copy.add(batch[i]);
    }
    steps.add(new Step.Dispatch(instance, copy, reason));
  }

  @Override
  public void refuse(Ticket ticket, Refusal refusal) {
    steps.add(new Step.Refuse(ticket, refusal));
  }

  @Override
  public void ended(Object sequence) {
    steps.add(new Step.End(sequence));
  }

  /** The steps since the last call. */
  List<Step> take() {
    List<Step> taken = steps;
    steps = new ArrayList<>();
    return taken;
  }
}
