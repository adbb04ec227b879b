package io.nereid.engine.scheduling.policy.dynamic;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.BatchingSettings;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.engine.scheduling.policy.DispatchReason;
import io.nereid.engine.scheduling.policy.NamedTicket;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.request.RequestOptions;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The decisions of Triton's dynamic batcher; times are in microseconds. */
class DynamicBatchingPolicyTest extends BatchingDriver {
  @Test
  void dispatchesNothingWithoutAnIdleInstance() {
    arriveAll("a", "b");
    assertThat(decide()).isEmpty();
    assertThat(policy.waiting()).isEqualTo(2);
  }

  @Test
  void dispatchesTheLargestPreferredSizeAtOnce() {
    arriveAll("a", "b", "c", "d", "e", "f");
    assertThat(release()).containsExactly("0: a b c d e f");
    assertThat(actions.reasons()).containsExactly(DispatchReason.PREFERRED_SIZE);
  }

  @Test
  void dispatchesEachRequestAloneWithoutAScheduler() {
    policy = DynamicBatchingPolicy.direct(QueueLimits.of(10));
    arriveAll("a", "b");
    assertThat(release()).containsExactly("0: a");
    assertThat(executed()).containsExactly("0: b");
    assertThat(actions.reasons()).containsOnly(DispatchReason.NO_DELAY);
  }

  @Test
  void dispatchesTheLargestReachablePreferredSizeAndKeepsTheRest() {
    arriveAll("a", "b", "c");
    assertThat(release()).containsExactly("0: a b");
    assertThat(executed()).isEmpty();
    assertThat(wakeMicros()).isEqualTo(DELAY);
    micros = DELAY - 1;
    assertThat(decide()).isEmpty();
    micros = DELAY;
    assertThat(decide()).containsExactly("0: c");
    assertThat(actions.reasons()).endsWith(DispatchReason.DELAY_PASSED);
  }

  @Test
  void endsTheBatchBeforeARequestThatExceedsTheLargestPreferredSize() {
    arrive("a", 3);
    arrive("b", 4);
    assertThat(release()).containsExactly("0: a");
    assertThat(executed()).isEmpty();
    micros = DELAY;
    assertThat(decide()).containsExactly("0: b");
  }

  @Test
  void dispatchesAllRequestsTogetherWhenTheDelayExpires() {
    arrive("a", 3);
    arrive("b", 4);
    arrive("c", 1);
    micros = DELAY;
    assertThat(release()).containsExactly("0: a b c");
  }

  @Test
  void dispatchesAvailableRequestsUpToAPreferredSizeWithoutADelay() {
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
  void dispatchesARequestLargerThanAnyPreferredSizeAtOnce() {
    arrive("a", 7);
    assertThat(release()).containsExactly("0: a");
  }

  @Test
  void limitsABatchToTheMaximumBatchSize() {
    settings(4, DELAY, 4);
    arrive("a", 3);
    arrive("b", 2);
    assertThat(release()).containsExactly("0: a");
  }

  @Test
  void endsTheBatchBeforeARequestWithAnotherKey() {
    settings(8, DELAY, 4);
    arrive("a", 1, "[16]", 0, 0);
    arrive("b", 1, "[16]", 0, 0);
    arrive("c", 1, "[20]", 0, 0);
    arrive("d", 1, "[20]", 0, 0);
    assertThat(release()).containsExactly("0: a b");
    assertThat(actions.reasons()).containsExactly(DispatchReason.NEXT_DIFFERS);
    assertThat(executed()).isEmpty();
    micros = DELAY;
    assertThat(decide()).containsExactly("0: c d");
  }

  @Test
  void endsTheBatchWhereTheModelsRuleSaysSo() {
    var rule =
        new BatchingRule() {
          @Override
          public void begin(Ticket first) {}

          @Override
          public boolean joins(Ticket next) {
            return next.priority() != 7;
          }
        };
    policy =
        new DynamicBatchingPolicy(
            BatchingSettings.of(List.of(8), DELAY),
            8,
            /* costs= */ null,
            QueueLimits.of(100),
            rule);
    arrive("a", 1);
    arrive("b", 1);
    arrive("c", 1, "key", 7, 0);
    assertThat(release()).containsExactly("0: a b");
    assertThat(actions.reasons()).containsExactly(DispatchReason.STRATEGY);
  }

  @Test
  void dispatchesALargeBatchToAHighInstance() {
    settings(100, 0, 100);
    String[] names = IntStream.range(0, 50).mapToObj(Integer::toString).toArray(String[]::new);
    arriveAll(names);
    instance(9);
    assertThat(decide()).containsExactly("9: " + String.join(" ", names));
  }

  @Test
  void dispatchesWaitingRequestsAfterTheStop() {
    arriveAll("a", "b");
    policy.stopped();
    arriveAll("c");
    assertThat(actions.taken()).containsExactly("c STOPPING");
    assertThat(release()).containsExactly("0: a b");
  }

  @Test
  void admitsAnEnsembleStepAfterTheStop() {
    policy.stopped();
    policy.arrived(
        new NamedTicket("a", 2, 0, Ticket.NEVER, "key", RequestOptions.NONE).asStep(), 0, actions);
    assertThat(release()).containsExactly("0: a");
  }
}
