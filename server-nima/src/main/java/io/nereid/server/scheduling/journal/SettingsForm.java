package io.nereid.server.scheduling.journal;

import io.nereid.config.BatchingSettings;
import io.nereid.config.EnsembleSettings;
import io.nereid.config.QueuePolicy;
import io.nereid.config.QueuePolicy.TimeoutAction;
import io.nereid.config.SchedulingSettings;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Strategy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A scheduler's settings in a journal: what a policy is made of, and nothing else. Controls and
 * states of sequences, which concern only the model, are left out.
 */
final class SettingsForm {
  private static final int DIRECT = 0;
  private static final int BATCHING = 1;
  private static final int SEQUENCE_DIRECT = 2;
  private static final int SEQUENCE_OLDEST = 3;

  private SettingsForm() {}

  static void write(SchedulingSettings settings, JournalBytes bytes) {
    switch (settings) {
      case SchedulingSettings.Direct() -> bytes.number(DIRECT);
      case BatchingSettings batching -> write(batching, bytes);
      case SequenceSettings sequence -> write(sequence, bytes);
      case EnsembleSettings _ ->
          throw new IllegalArgumentException("an ensemble decides nothing on its own");
    }
  }

  private static void write(BatchingSettings settings, JournalBytes bytes) {
    bytes.number(BATCHING);
    write(settings.preferredBatchSizes(), bytes);
    bytes.number(settings.maxQueueDelayMicros());
    bytes.number(settings.preserveOrdering() ? 1 : 0);
    bytes.number(settings.priorityLevels());
    bytes.number(settings.defaultPriorityLevel());
    write(settings.defaultQueuePolicy(), bytes);
    bytes.number(settings.priorityQueuePolicies().size());
    settings.priorityQueuePolicies().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(level -> {
          bytes.number(level.getKey());
          write(level.getValue(), bytes);
        });
  }

  private static void write(QueuePolicy policy, JournalBytes bytes) {
    bytes.text(policy.timeoutAction().name());
    bytes.number(policy.defaultTimeoutMicros());
    bytes.number(policy.allowTimeoutOverride() ? 1 : 0);
    bytes.number(policy.maxQueueSize());
  }

  private static void write(SequenceSettings settings, JournalBytes bytes) {
    switch (settings.strategy()) {
      case Strategy.Direct(long delay, double utilization) -> {
        bytes.number(SEQUENCE_DIRECT);
        bytes.number(delay);
        bytes.number(Double.doubleToLongBits(utilization));
      }
      case Strategy.Oldest(int candidates, List<Integer> sizes, long delay, boolean ordered) -> {
        bytes.number(SEQUENCE_OLDEST);
        bytes.number(candidates);
        write(sizes, bytes);
        bytes.number(delay);
        bytes.number(ordered ? 1 : 0);
      }
    }
    bytes.number(settings.maxSequenceIdleMicros());
    bytes.number(settings.iterative() ? 1 : 0);
  }

  private static void write(List<Integer> sizes, JournalBytes bytes) {
    bytes.number(sizes.size());
    sizes.forEach(bytes::number);
  }

  static SchedulingSettings read(Frame frame) throws DamagedJournalException {
    return switch (frame.number(SEQUENCE_OLDEST + 1)) {
      case DIRECT -> new SchedulingSettings.Direct();
      case BATCHING -> batching(frame);
      case SEQUENCE_DIRECT ->
          sequence(
              new Strategy.Direct(frame.number(), Double.longBitsToDouble(frame.number())), frame);
      default ->
          sequence(
              new Strategy.Oldest(frame.count(), sizes(frame), frame.number(), frame.flag()),
              frame);
    };
  }

  private static BatchingSettings batching(Frame frame) throws DamagedJournalException {
    List<Integer> sizes = sizes(frame);
    long delay = frame.number();
    boolean ordered = frame.flag();
    long levels = frame.number();
    long level = frame.number();
    QueuePolicy policy = queuePolicy(frame);
    Map<Long, QueuePolicy> policies = new HashMap<>();
    for (int i = frame.count(); i > 0; i--) {
      policies.put(frame.number(), queuePolicy(frame));
    }
    return new BatchingSettings(sizes, delay, ordered, levels, level, policy, policies);
  }

  private static QueuePolicy queuePolicy(Frame frame) throws DamagedJournalException {
    return new QueuePolicy(
        frame.constant(TimeoutAction.class), frame.number(), frame.flag(), frame.number());
  }

  private static SequenceSettings sequence(Strategy strategy, Frame frame)
      throws DamagedJournalException {
    return new SequenceSettings(frame.number(), List.of(), strategy, List.of(), frame.flag());
  }

  private static List<Integer> sizes(Frame frame) throws DamagedJournalException {
    List<Integer> sizes = new ArrayList<>();
    for (int i = frame.count(); i > 0; i--) {
      sizes.add(frame.count());
    }
    return sizes;
  }
}
