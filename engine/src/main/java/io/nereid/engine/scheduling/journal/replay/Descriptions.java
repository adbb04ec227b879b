package io.nereid.engine.scheduling.journal.replay;

import io.nereid.config.BatchCostSettings;
import io.nereid.config.BatchingSettings;
import io.nereid.config.EnsembleSettings;
import io.nereid.config.SchedulingSettings;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.engine.scheduling.journal.JournalRecord.SchedulerStarted;
import io.nereid.engine.scheduling.policy.DispatchReason;
import io.nereid.engine.scheduling.policy.Rejection;
import java.util.Locale;

/** The texts of a replay for constants and numbers of the journal. */
final class Descriptions {
  private Descriptions() {}

  static String of(DispatchReason reason) {
    return switch (reason) {
      case PREFERRED_SIZE -> "the batch has a preferred size";
      case MAX_BATCH_SIZE -> "the next request exceeds the maximum batch size";
      case MAX_BATCH_COST -> "no further request would fit into the maximum cost of a batch";
      case MAX_PADDING -> "with the next request too much of it would be padding";
      case NEXT_DIFFERS -> "the next request has other shapes or inputs";
      case STRATEGY -> "the model's batching strategy excludes the next request";
      case NO_DELAY -> "no delay is configured";
      case DELAY_PASSED -> "the oldest request has waited for the maximum delay";
      case DELAY_SKIPPED -> "delays have added no second request lately";
      case DEADLINE -> "with the next request it would end after a deadline";
      case SLOTS_READY -> "enough slots have a request";
    };
  }

  static String of(Rejection rejection) {
    return switch (rejection) {
      case STOPPING -> "the scheduler is stopped";
      case SEQUENCE_STOPPING -> "the scheduler is stopped and starts no sequence";
      case SEQUENCE_SHARE -> "its client has as many sequences as it may have";
      case QUEUE_FULL -> "the queue is full";
      case QUEUE_SHARE -> "its client has as many waiting requests as it may have";
      case TIMED_OUT -> "its timeout has expired";
      case WAITED_TOO_LONG -> "it has waited for as long as the server allows";
      case CANCELLED -> "the client cancelled it, or its deadline has passed";
      case SEQUENCE_BATCH_SIZE -> "a request of a sequence must have one row";
      case SEQUENCE_ID_MISSING -> "it has no sequence id";
      case SEQUENCE_START_MISSING -> "its sequence was not started";
      case SEQUENCE_OVER -> "its sequence ended while it was executed";
      case SEQUENCE_TIMED_OUT -> "its sequence waited too long for a slot";
    };
  }

  static String of(SchedulerStarted started) {
    String settings = of(started.settings(), started.maxBatchSize());
    BatchCostSettings costs = started.costs();
    return costs == null ? settings : settings + ", " + of(costs);
  }

  private static String of(BatchCostSettings costs) {
    return "maximum cost %d (%s, by '%s')%s%s"
        .formatted(
            costs.maxCost(),
            costs.kind(),
            costs.weightInput(),
            costs.maxPaddingPercent() == 100
                ? ""
                : ", at most %d %% of it padding".formatted(costs.maxPaddingPercent()),
            costs.maxReorderingMicros() == 0
                ? ""
                : ", reordered within %d us".formatted(costs.maxReorderingMicros()));
  }

  private static String of(SchedulingSettings settings, int maxBatchSize) {
    String scheduler =
        switch (settings) {
          case SchedulingSettings.Direct() -> "no batching";
          case BatchingSettings batching ->
              "dynamic batching, preferred sizes %s, maximum delay %d us"
                  .formatted(batching.preferredBatchSizes(), batching.maxQueueDelayMicros());
          case SequenceSettings sequence ->
              sequence.strategy() instanceof Strategy.Direct
                  ? "sequences, direct"
                  : "sequences, oldest first";
          case EnsembleSettings _ -> "ensemble";
        };
    return scheduler + ", maximum batch size " + maxBatchSize;
  }

  /** {@code "1 request"}, {@code "2 requests"}. */
  static String counted(long count, String noun) {
    return count + " " + noun + (count == 1 ? "" : "s");
  }

  static String seconds(long nanos) {
    return String.format(Locale.ROOT, "%d.%09d s", nanos / 1_000_000_000, nanos % 1_000_000_000);
  }

  static String millis(long nanos) {
    return String.format(Locale.ROOT, "%.3f ms", nanos / 1e6);
  }
}
