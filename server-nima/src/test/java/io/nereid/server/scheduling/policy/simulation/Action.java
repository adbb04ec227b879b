package io.nereid.server.scheduling.policy.simulation;

import io.nereid.server.scheduling.policy.DispatchReason;
import io.nereid.server.scheduling.policy.Rejection;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a policy has decided. */
sealed interface Action {
  /**
   * A batch goes to an instance.
   *
   * @param batch null is a padding row
   */
  record Dispatch(int instance, List<@Nullable Row> batch, DispatchReason reason)
      implements Action {
    @Override
    public String toString() {
      return batch.stream()
          .map(row -> row == null ? "-" : row.toString())
          .collect(Collectors.joining(", ", "batch on " + instance + ": ", " (" + reason + ")"));
    }
  }

  /** An instance is called. */
  record Call(int instance) implements Action {}

  /** There is nothing for an instance that has asked. */
  record Rest(int instance) implements Action {}

  /** A request ends without having run. */
  record Reject(int name, Rejection rejection) implements Action {
    @Override
    public String toString() {
      return "#" + name + " " + rejection;
    }
  }

  /**
   * A sequence is over.
   *
   * @param run the name of its first request
   */
  record End(Object run) implements Action {}
}
