package io.nereid.engine.scheduling.policy.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which sequences are refused because of the wait for a slot that is predicted. */
class PredictedSlotWaitsTest {
  private final SequencesDriver play = SequencesDriver.limited(250);

  /** Measures that a sequence waits for 100 us for the only slot, which the sequence B then has. */
  @BeforeEach
  void measure() {
    play.instance(0);
    play.start("A0");
    assertThat(play.decide()).containsExactly("0: A0");
    play.executed();
    play.start("B0");
    play.micros += 100;
    play.end("A1");
    assertThat(play.decide()).containsExactly("0: A1");
    assertThat(play.executed()).containsExactly("0: B0");
    play.executed();
  }

  @Test
  void refusesASequenceThatWouldWaitForTooLong() {
    play.start("D0");
    play.start("E0");
    play.start("F0");

    assertThat(play.actions.taken()).containsExactly("F0 refused: 300 us, limit 250 us, 2 ahead");
  }

  @Test
  void refusesNoFurtherRequestOfASequence() {
    play.start("D0");
    play.start("E0");
    play.next("E1");
    play.next("B1");
    play.start("B2");

    assertThat(play.actions.taken()).isEmpty();
  }

  @Test
  void aTimeoutIsNoLimitAndEndsTheWaitOnceItHasPassed() {
    play.start("D0");
    play.arrive("E0", true, false, 199, "key");
    assertThat(play.actions.taken()).isEmpty();

    play.micros += 199;
    assertThat(play.decide()).containsExactly("E0 SEQUENCE_TIMED_OUT");
  }

  @Test
  void admitsASequenceWhileASlotIsFree() {
    play.end("B1");
    play.decide();
    play.executed();
    play.arrive("D0", true, false, 1, "key");

    assertThat(play.decide()).containsExactly("0: D0");
  }
}
