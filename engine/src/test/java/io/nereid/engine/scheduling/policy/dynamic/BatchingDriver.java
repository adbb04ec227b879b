package io.nereid.engine.scheduling.policy.dynamic;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.BatchingSettings;
import io.nereid.config.QueuePolicy;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.engine.scheduling.policy.NamedTicket;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.RecordedActions;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import java.util.List;
import java.util.Map;

/** A dynamic batcher with named requests; times are in microseconds. */
abstract class BatchingDriver {
  static final long DELAY = 1_000;
  static final int BUSY = 0;

  final RecordedActions actions = new RecordedActions();
  DynamicBatchingPolicy policy = policy(BatchingSettings.of(List.of(2, 6), DELAY), 8);
  long micros;

  static DynamicBatchingPolicy policy(BatchingSettings settings, int maxBatchSize) {
    return new DynamicBatchingPolicy(
        settings, maxBatchSize, /* costs= */ null, QueueLimits.of(1_000), BatchingRule.ALL);
  }

  void settings(int maxBatchSize, long delay, Integer... preferred) {
    policy = policy(BatchingSettings.of(List.of(preferred), delay), maxBatchSize);
  }

  void queuePolicy(int maxBatchSize, QueuePolicy queue, Integer... preferred) {
    policy =
        policy(
            new BatchingSettings(List.of(preferred), DELAY, false, 0, 0, queue, Map.of()),
            maxBatchSize);
  }

  Ticket arrive(String name, long rows) {
    return arrive(name, rows, "key", 0, 0);
  }

  Ticket arrive(String name, long rows, String key, long priority, long timeout) {
    var options = new RequestOptions(SequenceId.NONE, false, false, priority, timeout, Map.of());
    Ticket ticket = new NamedTicket(name, rows, micros * 1_000, Ticket.NEVER, key, options);
    policy.arrived(ticket, micros * 1_000, actions);
    return ticket;
  }

  void arriveAll(String... names) {
    for (String name : names) {
      arrive(name, 1);
    }
  }

  void instance(int instance) {
    policy.instanceAdded(instance, 0, micros * 1_000, actions);
  }

  List<String> decide() {
    actions.decide(policy, micros * 1_000);
    return actions.taken();
  }

  /** Adds an instance and returns the actions. */
  List<String> release() {
    instance(BUSY);
    return decide();
  }

  List<String> executed() {
    policy.executed(BUSY, micros * 1_000, micros * 1_000, actions);
    return decide();
  }

  long wakeMicros() {
    long wake = actions.decide(policy, micros * 1_000);
    assertThat(actions.taken()).isEmpty();
    return wake / 1_000;
  }
}
