package io.nereid.tck.gate;

import io.nereid.error.InferenceException;
import java.util.Optional;
import java.util.Set;

/**
 * What the gate does with one request, set in advance by the request's id.
 *
 * @param failure sent instead of the outputs
 * @param responses how many times the outputs are sent; other than 1 for decoupled models only
 * @param held whether the execution goes on after the response until {@link Gate#release}
 * @param dropped outputs that are not sent
 * @param commitsState whether the states of its sequence change
 * @param reschedules how many executions it requests before the response
 */
public record Reply(
    Optional<InferenceException> failure,
    int responses,
    boolean held,
    Set<String> dropped,
    boolean commitsState,
    int reschedules) {
  /** One response with all outputs, states committed: the default. */
  public static final Reply ECHO = new Reply(Optional.empty(), 1, false, Set.of(), true, 0);

  public Reply {
    if (responses < 0) {
      throw new IllegalArgumentException(responses + " responses");
    }
    dropped = Set.copyOf(dropped);
  }

  public static Reply failure(InferenceException failure) {
    return new Reply(Optional.of(failure), 1, false, Set.of(), true, 0);
  }

  /** So many responses, from a decoupled model, and then the end. */
  public static Reply responses(int count) {
    return new Reply(Optional.empty(), count, false, Set.of(), true, 0);
  }

  /** This reply at once, while the execution goes on until {@link Gate#release}. */
  public Reply thenHeld() {
    return new Reply(failure, responses, true, dropped, commitsState, reschedules);
  }

  /** This reply without that output. */
  public Reply without(String output) {
    return new Reply(failure, responses, held, Set.of(output), commitsState, reschedules);
  }

  /** This reply, with the sequence's states left as they were. */
  public Reply withoutCommit() {
    return new Reply(failure, responses, held, dropped, false, reschedules);
  }

  /** This reply after so many executions that end with a request to be rescheduled. */
  public Reply afterRescheduling(int times) {
    return new Reply(failure, responses, held, dropped, commitsState, times);
  }
}
