package io.nereid.policy.simulation;

import io.nereid.policy.DispatchReason;

/**
 * The rule on waits in vain: after 16 single requests in a row that have waited for the whole
 * delay, a lone request that would wait goes at once, until a batch of several goes, or a request
 * comes before the time until which the last one that went at once would have waited, and before
 * anything has been executed since.
 */
final class NaivePatience {
  private static final int VAIN_WAITS = 16;

  private int vainWaits;
  private long skippedUntil;

  void arrived(long nanos) {
    if (nanos < skippedUntil) {
      vainWaits = 0;
      skippedUntil = 0;
    }
  }

  void executed() {
    skippedUntil = 0;
  }

  /** The batch as it goes, or waits, by the rule. */
  NaiveBatch apply(NaiveBatch batch) {
    if (batch.waits() && batch.size() == 1 && vainWaits >= VAIN_WAITS) {
      skippedUntil = batch.due();
      return batch.sent(DispatchReason.WAITED_IN_VAIN);
    }
    if (!batch.waits() && batch.size() > 1) {
      vainWaits = 0;
    } else if (!batch.waits() && batch.reason() == DispatchReason.DELAY_PASSED) {
      vainWaits++;
    }
    return batch;
  }
}
