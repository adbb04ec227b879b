package io.nereid.server.scheduling.policy.simulation;

import io.nereid.server.scheduling.policy.DispatchReason;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What counts of steps: all but most reasons, and any order but that of batches. */
final class Outcome {
  /** Reasons on which later decisions depend; the others are only counted. */
  private static final Set<DispatchReason> REASONS =
      EnumSet.of(DispatchReason.DELAY_PASSED, DispatchReason.DELAY_SKIPPED);

  private Outcome() {}

  /** Equal for steps between which nobody could tell a difference. */
  static List<Object> of(List<Action> actions) {
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
        case Action.Call _, Action.Rest _, Action.Reject _, Action.End _ -> unordered.add(action);
      }
    }
    return outcome;
  }
}
