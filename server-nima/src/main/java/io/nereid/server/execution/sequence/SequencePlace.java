package io.nereid.server.execution.sequence;

import io.nereid.request.SequenceId;
import org.jspecify.annotations.Nullable;

/**
 * Where in its sequence a request of a batch is, as the scheduler knows it. It does not change
 * while the batch is executed.
 */
public interface SequencePlace {
  SequenceId sequenceId();

  /** Whether the request is the first of its sequence. */
  boolean isFirst();

  /** Whether the request is the last of its sequence. */
  boolean isLast();

  /** What the sequence carries from request to request; null if the model has no states. */
  @Nullable SequenceState state();
}
