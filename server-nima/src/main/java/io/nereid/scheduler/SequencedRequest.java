package io.nereid.scheduler;

import io.nereid.exchange.PendingRequest;
import io.nereid.instance.SequencePlace;
import io.nereid.instance.SequenceState;
import io.nereid.request.SequenceId;
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
