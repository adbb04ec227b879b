package io.nereid.engine.scheduling.policy.simulation;

import io.nereid.engine.scheduling.policy.DispatchReason;
import io.nereid.engine.scheduling.policy.PredictedWait;
import io.nereid.engine.scheduling.policy.Rejection;
import io.nereid.request.SequenceId;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** An action of a policy. */
sealed interface Action {
  /**
   * A request in a batch, as the model receives it.
   *
   * @param name the request's number
   * @param run the name of the first request of its sequence; null without a sequence
   */
  record Row(int name, @Nullable Object run, SequenceId sequence, boolean start, boolean end) {
    @Override
    public String toString() {
      return "#" + name + (start ? " START" : "") + (end ? " END" : "");
    }
  }

  /**
   * A batch is dispatched.
   *
   * @param batch null for a padding row
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

  /** An instance is woken. */
  record Wake(int instance) implements Action {}

  /** A ready instance is made idle. */
  record Idle(int instance) implements Action {}

  /** A request is rejected. */
  record Reject(int name, Rejection rejection) implements Action {
    @Override
    public String toString() {
      return "#" + name + " " + rejection;
    }
  }

  /** A request is refused when it arrives. */
  record Refuse(int name, PredictedWait prediction) implements Action {}

  /** A sequence is restarted that has not ended. */
  record Restarted(int name) implements Action {}

  /**
   * A sequence has ended.
   *
   * @param run the name of its first request
   */
  record Ended(Object run) implements Action {}
}
