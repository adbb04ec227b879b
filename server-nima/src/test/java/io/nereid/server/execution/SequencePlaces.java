package io.nereid.server.execution;

import io.nereid.request.SequenceId;
import io.nereid.server.execution.sequence.SequencePlace;
import io.nereid.server.execution.sequence.SequenceState;
import org.jspecify.annotations.Nullable;

/** Places of requests in sequences. */
record SequencePlaces(
    SequenceId sequenceId, boolean isFirst, boolean isLast, @Nullable SequenceState state)
    implements SequencePlace {
  static SequencePlace first(long id) {
    return new SequencePlaces(new SequenceId.OfNumber(id), true, false, null);
  }

  static SequencePlace middle(String id) {
    return new SequencePlaces(new SequenceId.OfString(id), false, false, null);
  }

  static SequencePlace last(long id) {
    return new SequencePlaces(new SequenceId.OfNumber(id), false, true, null);
  }

  static SequencePlace with(@Nullable SequenceState state) {
    return new SequencePlaces(new SequenceId.OfNumber(1), false, false, state);
  }
}
