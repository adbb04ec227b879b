package io.nereid.engine.scheduling.policy.dynamic;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.BatchingSettings;
import io.nereid.config.QueuePolicy.TimeoutAction;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a dynamic batcher predicts of waits: from batches, instances and their executions. */
class WaitPredictionTest extends PredictedWaitsDriver {
  @Test
  void predictsTheWaitInBatches() {
    limit(250, BatchingSettings.of(List.of(), 0), 4);
    measure(4);
    arriveAll("a");
    assertThat(decide()).containsExactly("0: a");
    for (int i = 0; i < 12; i++) {
      arrive("r" + i, 1);
    }

    assertThat(actions.taken())
        .containsExactly(
            "r8 refused: 300 us, limit 250 us, 8 ahead",
            "r9 refused: 300 us, limit 250 us, 8 ahead",
            "r10 refused: 300 us, limit 250 us, 8 ahead",
            "r11 refused: 300 us, limit 250 us, 8 ahead");
  }

  @Test
  void learnsHowManyRowsABatchHasIfRequestsCannotShareOne() {
    limit(10_000, overriding(TimeoutAction.REJECT), 8);
    measure(1);
    for (int i = 0; i < 40; i++) {
      arrive("r" + i, 1, "k" + i, 0, 0);
    }
    decide();
    for (int i = 0; i < 30; i++) {
      finish();
    }
    actions.taken();
    limitedArrival("in time", 1_001);
    limitedArrival("late", 1_099);

    assertThat(actions.taken()).containsExactly("late refused: 1100 us, limit 1099 us, 10 ahead");
  }

  @Test
  void severalInstancesShareTheQueue() {
    limit(150);
    instance(1);
    measure(1);
    arriveAll("a", "b");
    assertThat(decide()).containsExactlyInAnyOrder("0: a", "1: b");
    arriveAll("c", "d", "e", "f");
    assertThat(actions.taken())
        .containsExactly(
            "e refused: 200 us, limit 150 us, 2 ahead", "f refused: 200 us, limit 150 us, 2 ahead");
  }

  @Test
  void countsThePaceOfAPipelinedInstance() {
    withoutLimit();
    instance(BUSY);
    arriveAll("a", "b");
    decide();
    policy.ready(BUSY, micros * 1_000, actions); // executes a, and can start b
    decide();
    micros = 300;
    policy.executed(BUSY, micros * 1_000, micros * 1_000, actions);
    micros = 400; // b needed 100 us more than a
    executed();
    for (int i = 0; i < 20; i++) {
      arriveAll("c" + i, "d" + i);
      decide();
      policy.ready(BUSY, micros * 1_000, actions);
      decide();
      micros += 100;
      policy.executed(BUSY, micros * 1_000, micros * 1_000, actions);
      micros += 100;
      executed();
    }
    arriveAll("e");
    decide();
    actions.taken();
    limitedArrival("f", 250);
    limitedArrival("g", 250);
    limitedArrival("h", 250);

    assertThat(actions.taken()).hasSize(1).first().asString().startsWith("h refused: 3");
  }

  @Test
  void takesABatchThatIsLateToNeedAsMuchTimeAgain() {
    limit(250);
    measure(1);
    arriveAll("a");
    decide();
    micros += 100 + 240;
    arriveAll("b");
    assertThat(actions.taken()).isEmpty();
    micros += 20;
    arriveAll("c");
    assertThat(actions.taken()).containsExactly("c refused: 360 us, limit 250 us, 1 ahead");
  }

  /** With executions of constant time there is no error: a request is refused iff it is late. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void everyAdmittedRequestStartsInTimeAndNoRefusedOneWouldHave(long seed) {
    var random = new Random(seed);
    long maxWait = random.nextLong(150, 1_150);
    limit(maxWait);
    measure(1);
    Map<String, Long> admitted = new HashMap<>();
    long free = micros;
    int refused = 0;
    long finishes = Long.MAX_VALUE;
    for (int i = 0; i < 500; i++) {
      long next = micros + random.nextInt(150);
      while (finishes <= next) {
        micros = finishes;
        finishes = Long.MAX_VALUE;
        for (String started : executed()) {
          assertStarted(started, admitted, maxWait);
          finishes = micros + EXECUTION;
        }
      }
      micros = next;
      long start = Math.max(free, micros);
      arrive("r" + i, 1);
      List<String> taken = actions.taken();
      assertThat(taken.isEmpty())
          .as("request %d at %d us would start at %d us: %s", i, micros, start, taken)
          .isEqualTo(start == micros || start - micros < maxWait);
      if (taken.isEmpty()) {
        admitted.put("r" + i, micros);
        free = start + EXECUTION;
      } else {
        refused++;
      }
      for (String started : decide()) {
        assertStarted(started, admitted, maxWait);
        finishes = micros + EXECUTION;
      }
    }
    assertThat(refused).isPositive();
    assertThat(admitted).isNotEmpty();
  }

  private void assertStarted(String batch, Map<String, Long> admitted, long maxWait) {
    String request = batch.substring("0: ".length());
    assertThat(admitted).containsKey(request);
    long arrival = Objects.requireNonNull(admitted.get(request));
    assertThat(micros - arrival).as(batch).isLessThan(maxWait);
  }

  @Test
  void aHigherLimitAdmitsEveryRequestThatALowerOneAdmits() {
    for (int ahead = 0; ahead < 8; ahead++) {
      boolean refusedByHigher = false;
      for (long limit = 1_000; limit > 0; limit -= 50) {
        withoutLimit();
        micros = 0;
        measure(1);
        arriveAll("a");
        decide();
        for (int i = 0; i < ahead; i++) {
          arrive("ahead" + i, 1);
        }
        limitedArrival("r", limit);
        boolean refused = !actions.taken().isEmpty();
        assertThat(refused || !refusedByHigher).as("%d ahead, %d us", ahead, limit).isTrue();
        refusedByHigher = refused;
      }
    }
  }
}
