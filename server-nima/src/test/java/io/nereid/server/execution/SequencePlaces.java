package io.nereid.server.execution;

import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import io.nereid.server.execution.sequence.SequenceState;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The place of a request in its sequence, and the state that the scheduler passes with it. */
record SequencePlaces(RequestOptions options, @Nullable SequenceState state) {
  static SequencePlaces first(long id) {
    return of(new SequenceId.OfNumber(id), true, false, null);
  }

  static SequencePlaces middle(String id) {
    return of(new SequenceId.OfString(id), false, false, null);
  }

  static SequencePlaces last(long id) {
    return of(new SequenceId.OfNumber(id), false, true, null);
  }

  static SequencePlaces with(@Nullable SequenceState state) {
    return of(new SequenceId.OfNumber(1), false, false, state);
  }

  private static SequencePlaces of(
      SequenceId id, boolean first, boolean last, @Nullable SequenceState state) {
    return new SequencePlaces(new RequestOptions(id, first, last, 0, 0, Map.of()), state);
  }
}
