package io.nereid.tck.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.provider.CsvSource;

/** The size of the next batch, and when it is dispatched. */
public abstract class FormingVerification extends SchedulerVerification {
  private static final String TWO_OR_SIX =
      "dynamic_batching { preferred_batch_size: [ 2, 6 ]" + WITH_DELAY + "}";

  @Rule("SCHED-17")
  void takesTheLargestPreferredSizeThatTheQueueReaches() {
    var model = load(8, TWO_OR_SIX);
    model.block();
    var answers = model.submitAll(1, 1, 1, 1, 1, 1);

    model.open();

    assertThat(model.ids()).containsExactly(List.of("r1", "r2", "r3", "r4", "r5", "r6"));
    model.assertEchoed(answers);
  }

  @Rule("SCHED-18")
  void takesAPreferredSizeAtOnceAndLetsTheRestWaitForItsDelay() {
    var model = load(8, TWO_OR_SIX);
    model.block();
    model.submitAll(1, 1, 1);

    assertRestWaitsForItsDelay(model, 2, 1);
  }

  private static void assertRestWaitsForItsDelay(GatedModel model, long first, long rest) {
    model.open();
    assertThat(model.rows()).containsExactly(first);
    advancePast(DELAY, model, () -> assertThat(model.rows()).containsExactly(first));

    assertThat(model.rows()).containsExactly(first, rest);
  }

  @Rule("SCHED-19")
  void endsABatchBeforeTheRequestThatExceedsTheLargestPreferredSize() {
    var model = load(8, TWO_OR_SIX);
    model.block();
    model.submitAll(3, 4);

    assertRestWaitsForItsDelay(model, 3, 4);
  }

  @Rule("SCHED-20")
  void takesAllThatFitsOnceTheOldestRequestIsLate() {
    var model = load(8, TWO_OR_SIX);
    model.block();
    var answers = model.submitAll(3, 4, 1);
    model.advance(DELAY.plus(MOMENT));

    model.open();

    assertThat(model.ids()).containsExactly(List.of("r1", "r2", "r3"));
    assertThat(model.rows()).containsExactly(8L);
    model.assertEchoed(answers);
  }

  @RuleCases("SCHED-21")
  @CsvSource({"3,3", "4,4", "5,4 1", "7,6 1"})
  void neverWaitsWithoutADelay(int requests, String rows) {
    var model = load(8, "dynamic_batching { preferred_batch_size: [ 4, 6 ] }");
    model.block();
    long[] single = new long[requests];
    Arrays.fill(single, 1);
    model.submitAll(single);

    model.open();

    assertThat(model.rows())
        .containsExactlyElementsOf(Arrays.stream(rows.split(" ")).map(Long::valueOf).toList());
  }

  @Rule("SCHED-22")
  void runsARequestAboveThePreferredSizesAtOnce() {
    var model = load(8, TWO_OR_SIX);

    model.submit("large", 7);
    model.settle();

    assertThat(model.rows()).containsExactly(7L);
  }

  @Rule("SCHED-34")
  void letsARequestJoinOneThatWaitsForAnInstance() {
    var model = load(8, "dynamic_batching { }");
    model.block();
    model.submit("r1");
    model.settle();
    model.submit("r2");

    model.open();

    assertThat(model.ids()).containsExactly(List.of("r1", "r2"));
  }
}
