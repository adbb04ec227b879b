package io.nereid.server.scheduling.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When a lone request is made to wait for company, and when that has been in vain. */
class AdaptiveDelayTest extends BatchingDriver {
  @Test
  void afterEnoughWaitsInVainALoneRequestGoesAtOnce() {
    instance(0);
    for (int i = 0; i < AdaptiveDelay.VAIN_WAITS; i++) {
      arriveAll("x");
      assertThat(decide()).isEmpty();
      micros += DELAY;
      assertThat(decide()).containsExactly("0: x");
      assertThat(executed()).isEmpty();
    }
    arriveAll("a");
    assertThat(decide()).containsExactly("0: a");
    assertThat(actions.reasons()).endsWith(DispatchReason.WAITED_IN_VAIN);
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
    for (int i = 0; i < AdaptiveDelay.VAIN_WAITS; i++) {
      arriveAll("x");
      micros += DELAY;
      assertThat(decide()).containsExactly("0: x");
      executed();
    }
    arriveAll("a");
    assertThat(decide()).containsExactly("0: a");
    for (int i = 0; i < AdaptiveDelay.VAIN_WAITS; i++) {
      long endNanos = micros * 1_000 + 500;
      micros++;
      arriveAll("a"); // the client has its answer already
      policy.executed(BUSY, endNanos, micros * 1_000, actions);
      assertThat(decide()).containsExactly("0: a");
    }
  }
}
