package io.nereid.engine.utilization;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.nereid.engine.utilization.MeasuredVersion.Counts;
import org.junit.jupiter.api.Test;

class VersionLoadTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long MILLI = 1_000_000L;

  private final VersionLoad load = new VersionLoad();
  private long requests;
  private long computeNanos;
  private long errors;

  /** A second in which so many requests were executed for so long each. */
  private void second(int count, long eachNanos, int instances) {
    requests += count;
    computeNanos += count * eachNanos;
    load.count(new Counts(requests, errors, 0, requests, computeNanos, instances), SECOND);
  }

  private double weight() {
    return load.requestsPerSecond() / load.utilization();
  }

  @Test
  void hasNoLoadBeforeASecondReading() {
    second(100, MILLI, 1);

    assertThat(load.utilization()).isZero();
    assertThat(load.isActive()).isFalse();
  }

  @Test
  void isTheShareOfTimeForWhichTheInstancesAreBusyIfNothingWaits() {
    second(0, 0, 2);
    second(100, 5 * MILLI, 2);

    assertThat(load.requestsPerSecond()).isEqualTo(100);
    assertThat(load.utilization()).isCloseTo(0.25, within(1e-9));
  }

  @Test
  void givesAWeightThatDoesNotDependOnTheShareOfTheRequests() {
    second(0, 0, 1);
    second(10, 5 * MILLI, 1);
    double little = weight();
    for (int i = 0; i < 20; i++) {
      second(150, 5 * MILLI, 1);
    }

    assertThat(weight()).isCloseTo(little, within(1e-6)).isCloseTo(200, within(1e-6));
  }

  @Test
  void givesAThirdOfTheWeightOnceExecutionsTakeThreeTimesAsLong() {
    second(0, 0, 1);
    second(100, 5 * MILLI, 1);
    for (int i = 0; i < 30; i++) {
      second(30, 15 * MILLI, 1);
    }

    assertThat(weight()).isCloseTo(200 / 3.0, within(0.1));
  }

  @Test
  void aWaitLowersTheWeightByAFourthRoot() {
    second(0, 0, 1);
    second(100, 5 * MILLI, 1);
    for (int i = 0; i < 1_000; i++) {
      load.waited(75 * MILLI, SECOND); // sixteen times an execution, with it
    }

    assertThat(weight()).isCloseTo(200 / 2.0, within(1e-3));
  }

  @Test
  void countsRequestsThatHangBeforeTheyEnd() {
    load.count(new Counts(0, 0, 0, 0, 0, 1), SECOND);
    load.count(new Counts(0, 0, 40, 0, 0, 1), SECOND);
    load.waited(SECOND, SECOND);

    assertThat(load.requestsPerSecond()).isEqualTo(40);
    assertThat(load.utilization()).isPositive();
    assertThat(load.isActive()).isTrue();
  }

  @Test
  void countsErrorsAsSuch() {
    second(0, 0, 1);
    errors = 7;
    second(0, 0, 1);

    assertThat(load.errorsPerSecond()).isEqualTo(7);
    assertThat(load.requestsPerSecond()).isZero();
  }

  @Test
  void isNotActiveAnyMoreSomeTimeAfterTheLastRequest() {
    second(0, 0, 1);
    second(1_000, MILLI, 1);
    assertThat(load.isActive()).isTrue();
    for (int i = 0; i < 60; i++) {
      second(0, 0, 1);
    }

    assertThat(load.isActive()).isFalse();
  }
}
