package io.nereid.server.scheduling.journal.replay;

import io.nereid.config.BatchingSettings;
import io.nereid.config.EnsembleSettings;
import io.nereid.config.SchedulingSettings;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.server.scheduling.policy.DispatchReason;
import io.nereid.server.scheduling.policy.Rejection;
import java.util.Locale;

/** Plain words for what a journal has constants and numbers for. */
final class Words {
  private Words() {}

  public static String why(DispatchReason reason) {
    return switch (reason) {
      case PREFERRED_SIZE -> "a preferred size is reached";
      case MAX_BATCH_SIZE -> "the next request would exceed the maximum batch size";
      case NEXT_DIFFERS -> "the next request differs in its shapes or inputs";
      case STRATEGY -> "the model's own rule begins another batch with the next request";
      case NO_DELAY -> "nothing may be waited for";
      case DELAY_PASSED -> "the oldest request has waited for the maximum delay";
      case DELAY_SKIPPED -> "a single request, adaptive delay skipped";
      case SLOTS_READY -> "enough sequences have a request ready";
    };
  }

  public static String why(Rejection rejection) {
    return switch (rejection) {
      case STOPPING -> "the model takes no more requests";
      case SEQUENCE_STOPPING -> "the model takes no more sequences";
      case QUEUE_FULL -> "as many requests wait as may";
      case TIMED_OUT -> "it has waited for as long as it may";
      case CANCELLED -> "its client called it off, or waits no longer";
      case SEQUENCE_BATCH_SIZE -> "a request of a sequence must have one row";
      case SEQUENCE_ID_MISSING -> "it names no sequence";
      case SEQUENCE_START_MISSING -> "its sequence has not been started";
      case SEQUENCE_OVER -> "its sequence ended while it was executed";
      case SEQUENCE_TIMED_OUT -> "its sequence has waited too long for a slot";
    };
  }

  static String settings(SchedulingSettings settings, int maxBatchSize) {
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
