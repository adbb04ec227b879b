package io.nereid.server.scheduling.policy;

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
  void keepsAMeanForEachDoublingOfTheRows() {
    add(1, 1, 100);
    add(1, 2, 150);
    add(1, 4, 250);

    assertThat(times.isMeasured()).isTrue();
    assertThat(times.nanos(1)).isEqualTo(100);
    assertThat(times.nanos(2)).isEqualTo(150);
    assertThat(times.nanos(3)).isEqualTo(150);
    assertThat(times.nanos(4)).isEqualTo(250);
    assertThat(times.nanos(7)).isEqualTo(250);
  }

  @Test
  void takesAnUnknownSizeToBeAsFastAsTheNextSmallerOne() {
    add(1, 2, 150);
    add(1, 8, 400);

    assertThat(times.nanos(4)).isEqualTo(150);
    assertThat(times.nanos(1_000)).isEqualTo(400);
    assertThat(times.nanos(1)).as("no smaller one is known").isEqualTo(150);
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
