package io.nereid.policy.simulation;

import io.nereid.policy.DispatchReason;
import io.nereid.policy.Refusal;
import io.nereid.policy.Ticket;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a policy has decided. */
sealed interface Step {
  /**
   * A batch goes to an instance.
   *
   * @param batch null is a padding row
   */
  record Dispatch(int instance, List<@Nullable Ticket> batch, DispatchReason reason)
      implements Step {
    @Override
    public String toString() {
      return batch.stream()
          .map(ticket -> ticket == null ? "-" : "#" + ticket.request())
          .collect(Collectors.joining(" ", "batch on " + instance + ": ", " (" + reason + ")"));
    }
  }

  /** A request ends without having run. */
  record Refuse(Ticket ticket, Refusal refusal) implements Step {
    @Override
    public String toString() {
      return "#" + ticket.request() + " " + refusal;
    }
  }

  /** A sequence is over. */
  record End(Object sequence) implements Step {}
}
