package io.nereid.server.execution.sequence;

import io.nereid.request.SequenceId;
import org.jspecify.annotations.Nullable;

/** The place of a batch's request in its sequence. Does not change while the batch is executed. */
public interface SequencePlace {
  SequenceId sequenceId();

  /** Whether the request is the first of its sequence. */
  boolean isFirst();

  /** Whether the request is the last of its sequence. */
  boolean isLast();

  /** The states of the sequence; null if the model has none. */
  @Nullable SequenceState state();
}
