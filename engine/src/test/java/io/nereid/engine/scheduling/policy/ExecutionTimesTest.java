package io.nereid.engine.scheduling.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The mean execution times of batches by their rows. */
class ExecutionTimesTest {
  private final ExecutionTimes times = new ExecutionTimes();

  private void add(int count, long rows, long nanos) {
    for (int i = 0; i < count; i++) {
      times.add(rows, nanos);
    }
  }

  @Test
  void knowsNothingBeforeTheFirstExecution() {
    assertThat(times.isMeasured()).isFalse();
    assertThat(times.nanos(1)).isZero();
  }

  @Test
  void takesAModelToBeAsFastWithAllSizesIfItKnowsOne() {
    add(1, 4, 250);

    assertThat(times.isMeasured()).isTrue();
    assertThat(times.nanos(1)).isEqualTo(250);
    assertThat(times.nanos(4)).isEqualTo(250);
    assertThat(times.nanos(64)).isEqualTo(250);
  }

  @Test
  void readsTimesFromTheLinesBetweenTheSizesThatItKnows() {
    add(1, 2, 150);
    add(1, 4, 250);
    add(1, 16, 610);

    assertThat(times.nanos(1)).as("no smaller one is known").isEqualTo(150);
    assertThat(times.nanos(2)).isEqualTo(150);
    assertThat(times.nanos(3)).isEqualTo(200);
    assertThat(times.nanos(10)).isEqualTo(430);
    assertThat(times.nanos(16)).isEqualTo(610);
    assertThat(times.nanos(20)).as("on the line through the last two").isEqualTo(730);
  }

  @Test
  void keepsTheMeansOfEachDoublingOfTheRows() {
    add(1, 1, 100);
    add(200, 4, 400);
    add(200, 6, 600);

    assertThat(times.nanos(6)).isBetween(598L, 600L);
    assertThat(times.nanos(4)).as("on the line from 1 row to 6 rows").isBetween(398L, 402L);
  }

  @Test
  void takesNoLargerBatchToBeFasterThanTheLargestThatItKnows() {
    add(1, 2, 300);
    add(1, 8, 200);

    assertThat(times.nanos(32)).isEqualTo(200);
  }

  @Test
  void anExecutionThatWasCutShortTakesAtLeastItsTime() {
    add(1, 1, 100);
    times.addAtLeast(16, 50);
    assertThat(times.nanos(16)).as("less than is known").isEqualTo(100);

    times.addAtLeast(16, 700);
    assertThat(times.nanos(16)).isEqualTo(700);
    times.addAtLeast(16, 300);
    assertThat(times.nanos(16)).isEqualTo(700);
  }

  @Test
  void takesABatchToBeNoSlowerThanItsRowsInSmallerBatches() {
    add(1, 8, 10_000);
    add(1, 1, 100);

    assertThat(times.nanos(8)).isEqualTo(800);
  }

  @Test
  void followsAChangeOfTheModelsSpeed() {
    add(20, 1, 1_000);
    add(40, 1, 3_000);
    assertThat(times.nanos(1)).isBetween(2_900L, 3_000L);
    add(40, 1, 1_000);
    assertThat(times.nanos(1)).isBetween(1_000L, 1_100L);
  }

  @Test
  void countsASinglePauseEightfoldAtMost() {
    add(20, 1, 1_000);
    add(1, 1, 1_000_000);

    assertThat(times.nanos(1)).isEqualTo(1_875);
  }

  @Test
  void forgetsASlowFirstExecutionWithTheSecondOne() {
    add(1, 1, 1_000_000);
    add(1, 1, 1_000);

    assertThat(times.nanos(1)).isLessThan(4_000);
  }
}
