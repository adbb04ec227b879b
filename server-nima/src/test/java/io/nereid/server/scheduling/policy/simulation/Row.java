package io.nereid.server.scheduling.policy.simulation;

import io.nereid.request.SequenceId;
import org.jspecify.annotations.Nullable;

/**
 * A request in a batch, as the model gets to see it.
 *
 * @param name the request's number
 * @param run the name of the first request of its sequence; null if it is of none
 */
record Row(int name, @Nullable Object run, SequenceId sequence, boolean start, boolean end) {
  @Override
  public String toString() {
    return "#" + name + (start ? " START" : "") + (end ? " END" : "");
  }
}
