package io.nereid.server.scheduling.policy.simulation;

import io.nereid.server.scheduling.policy.DispatchReason;
import java.util.ArrayList;
import java.util.List;

/**
 * The rule on waits in vain: after 16 single requests in a row that have waited for the whole
 * delay, a lone request that would wait goes at once, until a batch of several goes, or it turns
 * out that a request has come before the time until which the last one that went at once would have
 * waited, and before the model that was executed meanwhile had ended.
 */
final class NaiveAdaptiveDelay {
  private static final int VAIN_WAITS = 16;

  private int vainWaits;
  private long skippedUntil;
  private final List<Long> company = new ArrayList<>();

  void arrived(long nanos) {
    if (nanos < skippedUntil) {
      company.add(nanos);
    }
  }

  void executed(long endNanos) {
    if (company.stream().anyMatch(nanos -> nanos < endNanos)) {
      vainWaits = 0;
    }
    company.clear();
    skippedUntil = 0;
  }

  /** The batch as it goes, or waits, by the rule. */
  NaiveBatch apply(NaiveBatch batch) {
    return batch.waits() && batch.size() == 1 && vainWaits >= VAIN_WAITS
        ? batch.sent(DispatchReason.DELAY_SKIPPED)
        : batch;
  }

  /** The batch goes. */
  void sent(NaiveBatch batch) {
    if (batch.reason() == DispatchReason.DELAY_SKIPPED) {
      skippedUntil = batch.due();
    } else if (batch.size() > 1) {
      vainWaits = 0;
    } else if (batch.reason() == DispatchReason.DELAY_PASSED) {
      vainWaits++;
    }
  }
}
