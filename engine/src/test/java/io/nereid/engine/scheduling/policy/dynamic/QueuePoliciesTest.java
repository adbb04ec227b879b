package io.nereid.engine.scheduling.policy.dynamic;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.BatchingSettings;
import io.nereid.config.QueuePolicy;
import io.nereid.config.QueuePolicy.TimeoutAction;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.NamedTicket;
import io.nereid.request.RequestOptions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Queue policies, priorities, deadlines and cancellation of the dynamic batcher. */
class QueuePoliciesTest extends BatchingDriver {
  private void levels(int maxBatchSize, Map<Long, QueuePolicy> policies) {
    policy =
        policy(
            new BatchingSettings(
                List.of(maxBatchSize), DELAY, false, 3, 2, QueuePolicy.NONE, policies),
            maxBatchSize);
  }

  @Test
  void rejectsARequestIfTheQueueIsFull() {
    queuePolicy(8, new QueuePolicy(TimeoutAction.REJECT, 0, false, 2), 8);
    arriveAll("a", "b", "c");
    assertThat(actions.taken()).containsExactly("c QUEUE_FULL");
    micros = DELAY;
    assertThat(release()).containsExactly("0: a b");
    arriveAll("d");
    assertThat(actions.taken()).isEmpty();
  }

  @Test
  void rejectsATimedOutRequestThoughNoInstanceIsIdle() {
    queuePolicy(8, new QueuePolicy(TimeoutAction.REJECT, 100, false, 0), 8);
    arriveAll("a");
    assertThat(wakeMicros()).isEqualTo(100);
    micros = 50;
    arriveAll("b");
    micros = 100;
    assertThat(decide()).containsExactly("a TIMED_OUT");
    assertThat(wakeMicros()).isEqualTo(150);
  }

  @Test
  void executesADelayedRequestAfterTheOthersOfItsLevel() {
    var delay = new QueuePolicy(TimeoutAction.DELAY, 100, false, 0);
    queuePolicy(1, delay, 1);
    arriveAll("a");
    micros = 101;
    arriveAll("b", "c");
    assertThat(release()).containsExactly("0: b");
    assertThat(executed()).containsExactly("0: c");
    assertThat(executed()).containsExactly("0: a");

    queuePolicy(8, delay, 2);
    micros = 0;
    arriveAll("a");
    micros = 101;
    arriveAll("b", "c");
    assertThat(release()).containsExactly("0: b c");
    assertThat(executed()).isEmpty();
    micros = DELAY;
    assertThat(decide()).containsExactly("0: a");
  }

  @Test
  void keepsTheOrderOfRequestsDelayedAtTheSameTime() {
    queuePolicy(1, new QueuePolicy(TimeoutAction.DELAY, 100, false, 0), 1);
    arriveAll("a", "b", "c", "d");
    micros = 100;
    assertThat(release()).containsExactly("0: a");
    assertThat(executed()).containsExactly("0: b");
    assertThat(executed()).containsExactly("0: c");
    assertThat(executed()).containsExactly("0: d");
  }

  @Test
  void ignoresTheDeadlineOfARequestBeingExecuted() {
    settings(8, DELAY, 2);
    policy.arrived(new NamedTicket("a", 1, 0, 500_000, "key", RequestOptions.NONE), 0, actions);
    arriveAll("b", "c");
    instance(0);
    instance(1);
    assertThat(actions.decide(policy, 0)).isEqualTo(DELAY * 1_000);
    assertThat(actions.taken()).containsExactly("0: a b");
  }

  @Test
  void aRequestCanOnlyShortenTheTimeout() {
    queuePolicy(8, new QueuePolicy(TimeoutAction.REJECT, 1_000, true, 0), 8);
    arrive("short", 1, "key", 0, 100);
    arrive("long", 1, "key", 0, 10_000);
    micros = 100;
    assertThat(decide()).containsExactly("short TIMED_OUT");
    micros = 1_000;
    assertThat(decide()).containsExactly("long TIMED_OUT");

    queuePolicy(8, new QueuePolicy(TimeoutAction.REJECT, 0, true, 0), 8);
    arrive("never", 1, "key", 0, 1);
    assertThat(actions.decide(policy, Ticket.NEVER - 1)).isEqualTo(Ticket.NEVER);
    assertThat(actions.taken()).isEmpty();
  }

  @Test
  void dispatchesHigherLevelsFirst() {
    levels(1, Map.of());
    arrive("2a", 1, "key", 2, 0);
    arrive("2b", 1, "key", 2, 0);
    arrive("1a", 1, "key", 1, 0);
    arrive("1b", 1, "key", 1, 0);
    assertThat(release()).containsExactly("0: 1a");
    assertThat(executed()).containsExactly("0: 1b");
    assertThat(executed()).containsExactly("0: 2a");

    levels(4, Map.of());
    arrive("2a", 1, "key", 2, 0);
    arrive("3a", 1, "key", 3, 0);
    arrive("1a", 1, "key", 1, 0);
    arrive("2b", 1, "key", 2, 0);
    assertThat(release()).containsExactly("0: 1a 2a 2b 3a");
  }

  @Test
  void usesTheDefaultLevelForAnUnknownPriority() {
    levels(1, Map.of());
    arrive("3", 1, "key", 3, 0);
    arrive("9", 1, "key", 9, 0);
    arrive("0", 1, "key", 0, 0);
    arrive("-1", 1, "key", -1, 0);
    arrive("1", 1, "key", 1, 0);
    assertThat(release()).containsExactly("0: 1");
    assertThat(executed()).containsExactly("0: 9");
    assertThat(executed()).containsExactly("0: 0");
    assertThat(executed()).containsExactly("0: -1");
    assertThat(executed()).containsExactly("0: 3");
  }

  @Test
  void aLevelHasItsOwnPolicy() {
    levels(1, Map.of(1L, new QueuePolicy(TimeoutAction.REJECT, 0, false, 1)));
    arrive("1a", 1, "key", 1, 0);
    arrive("1b", 1, "key", 1, 0);
    arrive("2a", 1, "key", 2, 0);
    arrive("2b", 1, "key", 2, 0);
    assertThat(actions.taken()).containsExactly("1b QUEUE_FULL");
  }

  @Test
  void removesACancelledRequestFromTheQueue() {
    arriveAll("a");
    Ticket cancelled = arrive("b", 1);
    arriveAll("c");
    policy.cancelled(cancelled, 0, actions);
    assertThat(actions.taken()).containsExactly("b CANCELLED");
    assertThat(release()).containsExactly("0: a c");
    policy.cancelled(cancelled, 0, actions);
    assertThat(actions.taken()).isEmpty();
  }

  @Test
  void cancelsARequestWhoseDeadlineHasPassed() {
    var options = RequestOptions.NONE;
    policy.arrived(new NamedTicket("expired", 1, 0, 100_000, "key", options), 0, actions);
    arriveAll("a");
    micros = 100;
    assertThat(release()).containsExactly("expired CANCELLED");
  }

  @Test
  void servesRequestsInTheOrderOfTheirLevelsHoweverManyLevelsThereAre() {
    long mostLevels = -1; // 2^64 - 1, unsigned
    long defaultLevel = 1L << 32;
    policy =
        policy(
            new BatchingSettings(
                List.of(1), DELAY, false, mostLevels, defaultLevel, QueuePolicy.NONE, Map.of()),
            1);
    arrive("default", 1);
    arrive("lowest", 1, "key", mostLevels, 0);
    assertThat(release()).containsExactly("0: default");
    for (int round = 0; round < 3; round++) { // a level that is empty again is removed
      for (int level = 200; level > 0; level--) {
        arrive("level " + level, 1, "key", round + level, 0);
      }
      for (int level = 1; level <= 200; level++) {
        assertThat(executed()).containsExactly("0: level " + level);
      }
    }
    assertThat(executed()).containsExactly("0: lowest");
  }
}
