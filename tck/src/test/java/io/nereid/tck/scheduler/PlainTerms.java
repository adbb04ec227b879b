package io.nereid.tck.scheduler;

import io.nereid.config.BatchingSettings;
import io.nereid.config.QueuePolicy;

/** How the requests of a {@link PlainModel} wait: their level, its policy, their timeout. */
record PlainTerms(PlainConfig config, Defect defect) {
  private static final long NEVER = Long.MAX_VALUE;

  long level(TestRequest request) {
    if (config.batching().isEmpty() || defect == Defect.IGNORES_LEVELS) {
      return 0;
    }
    BatchingSettings batching = config.batching().get();
    long asked = request.options().priority();
    if (asked > batching.priorityLevels() && defect == Defect.PUTS_UNKNOWN_LEVELS_LAST) {
      return batching.priorityLevels();
    }
    return asked == 0 || asked > batching.priorityLevels()
        ? batching.defaultPriorityLevel()
        : asked;
  }

  QueuePolicy queuePolicy(long level) {
    return config
        .batching()
        .map(batching ->
            defect == Defect.HAS_ONE_POLICY
                ? batching.defaultQueuePolicy()
                : batching.queuePolicy(level))
        .orElse(QueuePolicy.NONE);
  }

  long deadline(TestRequest request, long level, long now) {
    QueuePolicy queuePolicy = queuePolicy(level);
    long micros = queuePolicy.defaultTimeoutMicros();
    long own = request.options().timeoutMicros();
    boolean shortens = queuePolicy.allowTimeoutOverride() && own > 0 && own < micros;
    if (shortens || (defect == Defect.ALLOWS_ANY_TIMEOUT && own > 0)) {
      micros = own;
    }
    return micros == 0 ? NEVER : now + micros * 1000;
  }
}
