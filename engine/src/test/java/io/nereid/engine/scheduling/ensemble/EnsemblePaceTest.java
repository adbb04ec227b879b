package io.nereid.engine.scheduling.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How long a request of an ensemble would wait in all of its steps. */
class EnsemblePaceTest {
  private final EnsemblePace pace = new EnsemblePace();

  /** One after the other, each with steps of 300 ns. */
  private void answer(int count, long intervalNanos) {
    long now = 0;
    pace.began(now);
    for (int i = 0; i < count; i++) {
      now += intervalNanos;
      pace.began(now);
      pace.succeeded(300, now);
    }
    pace.failed();
  }

  @Test
  void predictsNothingBeforeTheFirstResponse() {
    pace.began(0);
    assertThat(pace.waitNanos()).isZero();
  }

  @Test
  void aRequestThatIsAloneDoesNotWait() {
    answer(1, 1_000);
    assertThat(pace.inFlight()).isZero();
    assertThat(pace.waitNanos()).isZero();
  }

  @Test
  void requestsWaitForAsManyIntervalsAsAreInFlight() {
    answer(1, 100);
    pace.began(5_000);
    pace.began(5_000);
    assertThat(pace.waitNanos()).as("its steps overlap with those in flight").isZero();
    pace.began(5_000);
    pace.began(5_000);
    assertThat(pace.waitNanos()).isEqualTo(5 * 100 - 300);
  }

  @Test
  void followsAChangeOfThePace() {
    answer(1, 100);
    answer(50, 400);
    pace.began(50_000);
    assertThat(pace.waitNanos()).isBetween(2 * 390L - 300, 2 * 400L - 300);
  }
}
