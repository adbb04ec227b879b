package io.nereid.engine.scheduling.policy.dynamic;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.scheduling.policy.AdaptiveDelay;
import io.nereid.engine.scheduling.policy.DispatchReason;
import org.junit.jupiter.api.Test;

/** When a single request waits for the batching delay, and when the delay is skipped. */
class AdaptiveDelayTest extends BatchingDriver {
  @Test
  void dispatchesASingleRequestAtOnceAfterEnoughDelaysExpiredWithOneRequest() {
    instance(0);
    for (int i = 0; i < AdaptiveDelay.MAX_LONE_EXPIRIES; i++) {
      arriveAll("x");
      assertThat(decide()).isEmpty();
      micros += DELAY;
      assertThat(decide()).containsExactly("0: x");
      assertThat(executed()).isEmpty();
    }
    arriveAll("a");
    assertThat(decide()).containsExactly("0: a");
    assertThat(actions.reasons()).endsWith(DispatchReason.DELAY_SKIPPED);
    micros++;
    executed();
    arriveAll("b"); // from the client that has its response
    assertThat(decide()).containsExactly("0: b");

    micros += DELAY - 1;
    arriveAll("c"); // would have joined: the delay applies again
    assertThat(decide()).isEmpty();
    micros++;
    assertThat(executed()).isEmpty();
    micros += DELAY;
    assertThat(decide()).containsExactly("0: c");
  }

  @Test
  void countsOnlyArrivalsBeforeTheSkippedDelayAndBeforeTheModelEnded() {
    assertThat(isSkippedAfterArrival(99, 200)).isFalse();
    assertThat(isSkippedAfterArrival(100, 200)).isTrue(); // the delay has expired
    assertThat(isSkippedAfterArrival(50, 51)).isFalse();
    assertThat(isSkippedAfterArrival(50, 50)).isTrue(); // the model has ended
  }

  private static boolean isSkippedAfterArrival(long arrivalNanos, long endNanos) {
    var delay = new AdaptiveDelay();
    for (int i = 0; i < AdaptiveDelay.MAX_LONE_EXPIRIES; i++) {
      delay.dispatched(1, DispatchReason.DELAY_PASSED, 0);
    }
    delay.dispatched(1, DispatchReason.DELAY_SKIPPED, 100);
    delay.arrived(arrivalNanos);
    delay.executed(endNanos);
    return delay.isSkipped();
  }

  @Test
  void aRequestThatArrivesAfterTheModelEndedDoesNotCountThoughTheEndIsReportedLater() {
    instance(0);
    for (int i = 0; i < AdaptiveDelay.MAX_LONE_EXPIRIES; i++) {
      arriveAll("x");
      micros += DELAY;
      assertThat(decide()).containsExactly("0: x");
      executed();
    }
    arriveAll("a");
    assertThat(decide()).containsExactly("0: a");
    for (int i = 0; i < AdaptiveDelay.MAX_LONE_EXPIRIES; i++) {
      long endNanos = micros * 1_000 + 500;
      micros++;
      arriveAll("a"); // the client has its response
      policy.executed(BUSY, endNanos, micros * 1_000, actions);
      assertThat(decide()).containsExactly("0: a");
    }
  }
}
