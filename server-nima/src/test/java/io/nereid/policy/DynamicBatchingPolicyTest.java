package io.nereid.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.BatchingSettings;
import io.nereid.config.QueuePolicy;
import io.nereid.config.QueuePolicy.TimeoutAction;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Cases of Triton's dynamic batcher, by decision; times are in microseconds. */
class DynamicBatchingPolicyTest {
  private static final long DELAY = 1_000;
  private static final int BUSY = 0;

  private final RecordedSteps steps = new RecordedSteps();
  private DynamicBatchingPolicy policy = policy(BatchingSettings.of(List.of(2, 6), DELAY), 8);
  private long micros;

  private static DynamicBatchingPolicy policy(BatchingSettings settings, int maxBatchSize) {
    return new DynamicBatchingPolicy(settings, maxBatchSize, 1_000, BatchingRule.ALL);
  }

  private void settings(int maxBatchSize, long delay, Integer... preferred) {
    policy = policy(BatchingSettings.of(List.of(preferred), delay), maxBatchSize);
  }

  private void queuePolicy(int maxBatchSize, QueuePolicy queue, Integer... preferred) {
    policy =
        policy(
            new BatchingSettings(List.of(preferred), DELAY, false, 0, 0, queue, Map.of()),
            maxBatchSize);
  }

  private Ticket arrive(String name, long rows) {
    return arrive(name, rows, "key", 0, 0);
  }

  private Ticket arrive(String name, long rows, String key, long priority, long timeout) {
    var options = new RequestOptions(SequenceId.NONE, false, false, priority, timeout, Map.of());
    Ticket ticket = new Ticket(name, rows, micros * 1_000, Ticket.NEVER, key, options);
    policy.arrived(ticket, micros * 1_000, steps);
    return ticket;
  }

  private void arriveAll(String... names) {
    for (String name : names) {
      arrive(name, 1);
    }
  }

  private void instance(int instance) {
    policy.instanceAdded(instance, 0, micros * 1_000, steps);
  }

  private List<String> decide() {
    steps.decide(policy, micros * 1_000);
    return steps.taken();
  }

  /** What happens once an instance is idle. */
  private List<String> release() {
    instance(BUSY);
    return decide();
  }

  private List<String> executed() {
    policy.executed(BUSY, micros * 1_000, micros * 1_000, steps);
    return decide();
  }

  private long wakeMicros() {
    long wake = steps.decide(policy, micros * 1_000);
    assertThat(steps.taken()).isEmpty();
    return wake / 1_000;
  }

  @Test
  void nothingRunsWithoutAnIdleInstance() {
    arriveAll("a", "b");
    assertThat(decide()).isEmpty();
    assertThat(policy.waiting()).isEqualTo(2);
  }

  @Test
  void theLargestPreferredSizeGoesAtOnce() {
    arriveAll("a", "b", "c", "d", "e", "f");
    assertThat(release()).containsExactly("0: a b c d e f");
    assertThat(steps.reasons()).containsExactly(DispatchReason.PREFERRED_SIZE);
  }

  @Test
  void withoutASchedulerEachRequestGoesAloneAndAtOnce() {
    policy = DynamicBatchingPolicy.direct(10);
    arriveAll("a", "b");
    assertThat(release()).containsExactly("0: a");
    assertThat(executed()).containsExactly("0: b");
    assertThat(steps.reasons()).containsOnly(DispatchReason.NO_DELAY);
  }

  @Test
  void theBestPreferredSizeGoesAndTheRestWaits() {
    arriveAll("a", "b", "c");
    assertThat(release()).containsExactly("0: a b");
    assertThat(executed()).isEmpty();
    assertThat(wakeMicros()).isEqualTo(DELAY);
    micros = DELAY - 1;
    assertThat(decide()).isEmpty();
    micros = DELAY;
    assertThat(decide()).containsExactly("0: c");
    assertThat(steps.reasons()).endsWith(DispatchReason.DELAY_PASSED);
  }

  @Test
  void whatWouldPassTheLargestPreferredSizeEndsTheBatch() {
    arrive("a", 3);
    arrive("b", 4);
    assertThat(release()).containsExactly("0: a");
    assertThat(executed()).isEmpty();
    micros = DELAY;
    assertThat(decide()).containsExactly("0: b");
  }

  @Test
  void lateRequestsGoAllTogetherPreferredOrNot() {
    arrive("a", 3);
    arrive("b", 4);
    arrive("c", 1);
    micros = DELAY;
    assertThat(release()).containsExactly("0: a b c");
  }

  @Test
  void withoutADelayWhatIsThereGoesUpToAPreferredSize() {
    for (int held : new int[] {3, 4, 5, 7}) {
      settings(8, 0, 4, 6);
      for (int i = 0; i < held; i++) {
        arrive("x", 1);
      }
      String first = release().getFirst();
      int size = first.split(" ", -1).length - 1;
      assertThat(size).isEqualTo(held == 3 ? 3 : held == 7 ? 6 : 4);
      assertThat(executed()).hasSize(held == size ? 0 : 1);
    }
  }

  @Test
  void aRequestLargerThanAnyPreferredSizeGoesAtOnce() {
    arrive("a", 7);
    assertThat(release()).containsExactly("0: a");
  }

  @Test
  void theMaximumBatchSizeHoldsWhereNoPreferredSizeDoes() {
    settings(4, DELAY, 4);
    arrive("a", 3);
    arrive("b", 2);
    assertThat(release()).containsExactly("0: a");
  }

  @Test
  void aRequestThatDiffersEndsTheBatch() {
    settings(8, DELAY, 4);
    arrive("a", 1, "[16]", 0, 0);
    arrive("b", 1, "[16]", 0, 0);
    arrive("c", 1, "[20]", 0, 0);
    arrive("d", 1, "[20]", 0, 0);
    assertThat(release()).containsExactly("0: a b");
    assertThat(steps.reasons()).containsExactly(DispatchReason.NEXT_DIFFERS);
    assertThat(executed()).isEmpty();
    micros = DELAY;
    assertThat(decide()).containsExactly("0: c d");
  }

  @Test
  void theModelsOwnRuleEndsABatch() {
    var rule =
        new BatchingRule() {
          @Override
          public void begin(Ticket first) {}

          @Override
          public boolean joins(Ticket next) {
            return next.priority() != 7;
          }
        };
    policy = new DynamicBatchingPolicy(BatchingSettings.of(List.of(8), DELAY), 8, 100, rule);
    arrive("a", 1);
    arrive("b", 1);
    arrive("c", 1, "key", 7, 0);
    assertThat(release()).containsExactly("0: a b");
    assertThat(steps.reasons()).containsExactly(DispatchReason.STRATEGY);
  }

  @Test
  void aFullQueueRefuses() {
    queuePolicy(8, new QueuePolicy(TimeoutAction.REJECT, 0, false, 2), 8);
    arriveAll("a", "b", "c");
    assertThat(steps.taken()).containsExactly("c QUEUE_FULL");
    micros = DELAY;
    assertThat(release()).containsExactly("0: a b");
    arriveAll("d");
    assertThat(steps.taken()).isEmpty();
  }

  @Test
  void aRequestWhoseTimeIsOverIsRefusedThoughNoInstanceIsIdle() {
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
  void aDelayedRequestRunsBehindAllOthersOfItsLevel() {
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
  void requestsDelayedAtTheSameMomentStayInOrder() {
    queuePolicy(1, new QueuePolicy(TimeoutAction.DELAY, 100, false, 0), 1);
    arriveAll("a", "b", "c", "d");
    micros = 100;
    assertThat(release()).containsExactly("0: a");
    assertThat(executed()).containsExactly("0: b");
    assertThat(executed()).containsExactly("0: c");
    assertThat(executed()).containsExactly("0: d");
  }

  @Test
  void nobodyIsWokenForADeadlineOfARequestThatRuns() {
    settings(8, DELAY, 2);
    policy.arrived(new Ticket("a", 1, 0, 500_000, "key", RequestOptions.NONE), 0, steps);
    arriveAll("b", "c");
    instance(0);
    instance(1);
    assertThat(steps.decide(policy, 0)).isEqualTo(DELAY * 1_000);
    assertThat(steps.taken()).containsExactly("0: a b");
  }

  @Test
  void aRequestsOwnTimeoutOnlyShortens() {
    queuePolicy(8, new QueuePolicy(TimeoutAction.REJECT, 1_000, true, 0), 8);
    arrive("short", 1, "key", 0, 100);
    arrive("long", 1, "key", 0, 10_000);
    micros = 100;
    assertThat(decide()).containsExactly("short TIMED_OUT");
    micros = 1_000;
    assertThat(decide()).containsExactly("long TIMED_OUT");

    queuePolicy(8, new QueuePolicy(TimeoutAction.REJECT, 0, true, 0), 8);
    arrive("never", 1, "key", 0, 1);
    assertThat(steps.decide(policy, Ticket.NEVER - 1)).isEqualTo(Ticket.NEVER);
    assertThat(steps.taken()).isEmpty();
  }

  private void levels(int maxBatchSize, Map<Long, QueuePolicy> policies) {
    policy =
        policy(
            new BatchingSettings(
                List.of(maxBatchSize), DELAY, false, 3, 2, QueuePolicy.NONE, policies),
            maxBatchSize);
  }

  @Test
  void higherLevelsGoFirst() {
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
  void anUnknownPriorityMeansTheDefaultLevel() {
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
    assertThat(steps.taken()).containsExactly("1b QUEUE_FULL");
  }

  @Test
  void aCancelledRequestIsAsIfItHadNeverCome() {
    arriveAll("a");
    Ticket cancelled = arrive("b", 1);
    arriveAll("c");
    policy.cancelled(cancelled, 0, steps);
    assertThat(steps.taken()).containsExactly("b CANCELLED");
    assertThat(release()).containsExactly("0: a c");
    policy.cancelled(cancelled, 0, steps);
    assertThat(steps.taken()).isEmpty();
  }

  @Test
  void aRequestWhoseClientHasGoneDoesNotRun() {
    var options = RequestOptions.NONE;
    policy.arrived(new Ticket("gone", 1, 0, 100_000, "key", options), 0, steps);
    arriveAll("a");
    micros = 100;
    assertThat(release()).containsExactly("gone CANCELLED");
  }

  @Test
  void batchesGoToIdleInstancesAndToNoOthers() {
    settings(1, 0, 1);
    instance(0);
    instance(1);
    arriveAll("a", "b", "c");
    assertThat(decide()).containsExactly("0: a", "1: b");
    policy.executed(1, 0, 0, steps);
    assertThat(decide()).containsExactly("1: c");
  }

  @Test
  void aRemovedInstanceFinishesAndGetsNothingNew() {
    settings(1, 0, 1);
    instance(0);
    instance(1);
    arriveAll("a");
    assertThat(decide()).containsExactly("0: a");
    policy.instanceRemoved(0, 0, steps);
    policy.instanceRemoved(1, 0, steps);
    assertThat(policy.isRemoved(0)).isFalse();
    assertThat(policy.isRemoved(1)).isTrue();
    arriveAll("b");
    assertThat(executed()).isEmpty();
    assertThat(policy.isRemoved(0)).isTrue();
    instance(1);
    assertThat(decide()).containsExactly("1: b");
  }

  @Test
  void whatWaitsStillRunsAfterTheStop() {
    arriveAll("a", "b");
    policy.stopped();
    arriveAll("c");
    assertThat(steps.taken()).containsExactly("c STOPPING");
    assertThat(release()).containsExactly("0: a b");
  }

  @Test
  void aStepOfAnEnsembleIsNothingNewAfterTheStop() {
    policy.stopped();
    policy.arrived(
        new Ticket("a", 2, 0, Ticket.NEVER, "key", RequestOptions.NONE).asStep(), 0, steps);
    assertThat(release()).containsExactly("0: a");
  }

  @Test
  void afterEnoughWaitsInVainALoneRequestGoesAtOnce() {
    instance(0);
    for (int i = 0; i < Patience.VAIN_WAITS; i++) {
      arriveAll("x");
      assertThat(decide()).isEmpty();
      micros += DELAY;
      assertThat(decide()).containsExactly("0: x");
      assertThat(executed()).isEmpty();
    }
    arriveAll("a");
    assertThat(decide()).containsExactly("0: a");
    assertThat(steps.reasons()).endsWith(DispatchReason.WAITED_IN_VAIN);
    micros++;
    executed();
    arriveAll("b"); // from the client that has its answer now
    assertThat(decide()).containsExactly("0: b");

    micros += DELAY - 1;
    arriveAll("c"); // would have joined: waiting is worth it again
    assertThat(decide()).isEmpty();
    micros++;
    assertThat(executed()).isEmpty();
    micros += DELAY;
    assertThat(decide()).containsExactly("0: c");
  }

  @Test
  void aRequestThatOvertakesTheNewsOfTheEndIsNoCompany() {
    instance(0);
    for (int i = 0; i < Patience.VAIN_WAITS; i++) {
      arriveAll("x");
      micros += DELAY;
      assertThat(decide()).containsExactly("0: x");
      executed();
    }
    arriveAll("a");
    assertThat(decide()).containsExactly("0: a");
    for (int i = 0; i < Patience.VAIN_WAITS; i++) {
      long endNanos = micros * 1_000 + 500;
      micros++;
      arriveAll("a"); // the client has its answer already
      policy.executed(BUSY, endNanos, micros * 1_000, steps);
      assertThat(decide()).containsExactly("0: a");
    }
  }

  @Test
  void whoeverComesBeforeTheCalledInstanceJoins() {
    instance(0);
    arriveAll("a", "b");
    policy.decide(0, steps);
    assertThat(steps.taken()).isEmpty();
    arriveAll("c", "d", "e", "f");
    assertThat(decide()).containsExactly("0: a b c d e f");
  }

  @Test
  void eachBatchThatCanGoCallsAnInstance() {
    instance(0);
    instance(1);
    instance(2);
    arriveAll("a", "b", "c", "d", "e", "f", "g", "h", "i");
    assertThat(decide()).containsExactly("0: a b c d e f", "1: g h");
    assertThat(wakeMicros()).isEqualTo(DELAY);
  }

  @Test
  void theInstanceWithTheLeastExecutionsByPriorityIsCalled() {
    settings(1, 0, 1);
    policy.instanceAdded(0, 2, 0, steps);
    policy.instanceAdded(1, 1, 0, steps);
    List<String> order = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      arriveAll("x");
      List<String> taken = decide();
      order.addAll(taken);
      policy.executed(taken.getFirst().charAt(0) - '0', 0, 0, steps);
    }
    assertThat(order).containsExactly("1: x", "0: x", "1: x", "1: x", "0: x", "1: x");
  }

  @Test
  void anInstanceThatIsRemovedWhileItAsksIsToRest() {
    instance(0);
    policy.ready(0, 0, steps);
    policy.instanceRemoved(0, 0, steps);
    assertThat(steps.rested()).containsExactly(0);
    policy.ready(0, 0, steps);
    assertThat(steps.rested()).containsExactly(0);
  }
}
