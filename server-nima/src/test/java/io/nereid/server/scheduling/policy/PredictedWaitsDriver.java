package io.nereid.server.scheduling.policy;

import io.nereid.config.BatchingSettings;
import java.util.List;

/** A dynamic batcher that refuses requests because of the wait that it predicts. */
abstract class PredictedWaitsDriver extends BatchingDriver {
  static final long EXECUTION = 100;

  void limit(long maxWaitMicros) {
    limit(maxWaitMicros, BatchingSettings.of(List.of(), 0), 1);
  }

  void limit(long maxWaitMicros, BatchingSettings settings, int maxBatchSize) {
    policy =
        new DynamicBatchingPolicy(
            settings,
            maxBatchSize,
            new QueueLimits(1_000, maxWaitMicros * 1_000),
            BatchingRule.ALL);
  }

  void withoutLimit() {
    settings(1, 0);
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
