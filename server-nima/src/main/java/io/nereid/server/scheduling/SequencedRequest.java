package io.nereid.server.scheduling;

import io.nereid.request.SequenceId;
import io.nereid.server.execution.sequence.SequencePlace;
import io.nereid.server.execution.sequence.SequenceState;
import io.nereid.server.request.PendingRequest;
import org.jspecify.annotations.Nullable;

/** The place that a request has in its sequence, for one execution. */
record SequencedRequest(PendingRequest request, @Nullable SequenceState state)
    implements SequencePlace {
  @Override
  public SequenceId sequenceId() {
    return request.sequenceId();
  }

  @Override
  public boolean isFirst() {
    return request.sequenceStart();
  }

  @Override
  public boolean isLast() {
    return request.sequenceEnd();
  }
}
