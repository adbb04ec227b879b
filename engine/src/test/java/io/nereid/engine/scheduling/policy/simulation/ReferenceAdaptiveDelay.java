package io.nereid.engine.scheduling.policy.simulation;

import io.nereid.engine.scheduling.policy.DispatchReason;
import java.util.ArrayList;
import java.util.List;

/**
 * The reference model of the adaptive delay. After 16 consecutive batches of one request whose
 * delay expired, a single request is dispatched at once. The delay applies again after a batch of
 * several requests, or if a request arrived before the skipped delay would have expired and before
 * the model of the batch had ended.
 */
final class ReferenceAdaptiveDelay {
  private static final int MAX_LONE_EXPIRIES = 16;

  private int loneExpiries;
  private long skippedUntil;
  private final List<Long> joiners = new ArrayList<>();

  void arrived(long nanos) {
    if (nanos < skippedUntil) {
      joiners.add(nanos);
    }
  }

  void executed(long endNanos) {
    if (joiners.stream().anyMatch(nanos -> nanos < endNanos)) {
      loneExpiries = 0;
    }
    joiners.clear();
    skippedUntil = 0;
  }

  /** Returns the batch, dispatched if the delay is skipped. */
  ReferenceBatch apply(ReferenceBatch batch) {
    return batch.waits() && batch.size() == 1 && loneExpiries >= MAX_LONE_EXPIRIES
        ? batch.sent(DispatchReason.DELAY_SKIPPED)
        : batch;
  }

  /** The batch is dispatched. */
  void sent(ReferenceBatch batch) {
    if (batch.reason() == DispatchReason.DELAY_SKIPPED) {
      skippedUntil = batch.due();
    } else if (batch.size() > 1) {
      loneExpiries = 0;
    } else if (batch.reason() == DispatchReason.DELAY_PASSED) {
      loneExpiries++;
    }
  }
}
