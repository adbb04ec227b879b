package io.nereid.engine.scheduling.policy.dynamic;

import io.nereid.config.BatchingSettings;
import io.nereid.config.QueuePolicy;
import io.nereid.config.QueuePolicy.TimeoutAction;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.engine.scheduling.policy.QueueLimits;
import java.util.List;
import java.util.Map;

/** A dynamic batcher that refuses requests because of the wait that it predicts. */
abstract class PredictedWaitsDriver extends BatchingDriver {
  static final long EXECUTION = 100;

  void limit(long maxWaitMicros) {
    limit(maxWaitMicros, overriding(TimeoutAction.REJECT), 1);
  }

  /** Without batches, where a client's timeout shortens one of a second. */
  static BatchingSettings overriding(TimeoutAction action) {
    var policy = new QueuePolicy(action, 1_000_000, true, 0);
    return new BatchingSettings(List.of(), 0, false, 0, 0, policy, Map.of());
  }

  void limit(long maxWaitMicros, BatchingSettings settings, int maxBatchSize) {
    policy =
        new DynamicBatchingPolicy(
            settings,
            maxBatchSize,
            /* costs= */ null,
            new QueueLimits(1_000, maxWaitMicros * 1_000, QueueLimits.SHARE, QueueLimits.SHARE),
            BatchingRule.ALL);
  }

  void withoutLimit() {
    policy = policy(overriding(TimeoutAction.REJECT), 1);
  }

  /** Measures an execution of {@link #EXECUTION}; then the instance is idle. */
  void measure(long rows) {
    instance(BUSY);
    arrive("measured", rows);
    decide();
    finish();
  }

  /** The instance finishes its batch, and gets the next one if there is one. */
  List<String> finish() {
    micros += EXECUTION;
    return executed();
  }

  void limitedArrival(String name, long timeoutMicros) {
    arrive(name, 1, "key", 0, timeoutMicros);
  }
}
