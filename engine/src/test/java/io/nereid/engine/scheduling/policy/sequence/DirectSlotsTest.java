package io.nereid.engine.scheduling.policy.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.DispatchReason;
import org.junit.jupiter.api.Test;

/** The rows of a batch with the direct strategy. */
class DirectSlotsTest {
  private static final long DELAY = 1_000;

  private SequencesDriver play = SequencesDriver.direct(4);

  @Test
  void keepsTheRowOfEachSequenceAndPadsEmptySlotsBelow() {
    play.start("A0");
    play.next("A1");
    play.end("A2");
    play.only("B0");
    play.start("C0");
    play.next("C1");
    play.end("C2");
    play.only("D0");
    assertThat(play.run()).containsExactly("0: A0 B0 C0 D0");
    assertThat(play.actions.reasons()).containsExactly(DispatchReason.SLOTS_READY);
    assertThat(play.executed()).containsExactly("0: A1 - C1");
    assertThat(play.executed()).containsExactly("0: A2 - C2");
    assertThat(play.executed()).isEmpty();
  }

  @Test
  void dispatchesABatchOnlyAfterThePreviousOneWasExecuted() {
    play.run();
    play.start("A0");
    assertThat(play.decide()).containsExactly("0: A0");
    play.startAll("B0", "C0");
    assertThat(play.decide()).isEmpty();
    assertThat(play.executed()).containsExactly("0: - B0 C0");
  }

  @Test
  void assignsAReleasedSlotBeforeTheNextBatch() {
    play = SequencesDriver.direct(2);
    play.only("A0");
    play.only("B0");
    play.only("C0");
    play.only("D0");
    play.only("E0");
    assertThat(play.run()).containsExactly("0: A0 B0");
    assertThat(play.executed()).containsExactly("0: C0 D0");
    assertThat(play.executed()).containsExactly("0: E0");
  }

  @Test
  void keepsARequestOfAnotherShapeForALaterBatch() {
    play.arrive("A0", true, false, 0, "[4]");
    play.arrive("B0", true, false, 0, "[5]");
    play.arrive("C0", true, false, 0, "[4]");
    play.arrive("D0", true, false, 0, "[5]");
    assertThat(play.run()).containsExactly("0: A0 - C0 -");
    assertThat(play.executed()).containsExactly("0: - B0 - D0");
    assertThat(play.executed()).isEmpty();
  }

  @Test
  void aModelWithoutBatchingHasOneSlotPerInstance() {
    play = SequencesDriver.direct(0);
    play.startAll("A0", "B0");
    play.end("A1");
    assertThat(play.run()).containsExactly("0: A0");
    assertThat(play.executed()).containsExactly("0: A1");
    assertThat(play.executed()).containsExactly("0: B0");
  }

  @Test
  void waitsForTheDelayIfTooFewSlotsAreReady() {
    play = SequencesDriver.direct(4, DELAY, 0.5);
    play.run();
    play.start("A0");
    assertThat(play.decide()).isEmpty();
    assertThat(play.wakeMicros()).isEqualTo(DELAY);
    play.micros = DELAY - 1;
    assertThat(play.decide()).isEmpty();
    play.micros = DELAY;
    assertThat(play.decide()).containsExactly("0: A0");
    assertThat(play.actions.reasons()).containsExactly(DispatchReason.DELAY_PASSED);
  }

  @Test
  void dispatchesAtOnceIfEnoughSlotsAreReady() {
    play = SequencesDriver.direct(4, DELAY, 0.5);
    play.run();
    play.start("A0");
    assertThat(play.decide()).isEmpty();
    play.start("B0");
    assertThat(play.decide()).containsExactly("0: A0 B0");
    assertThat(play.actions.reasons()).containsExactly(DispatchReason.SLOTS_READY);
  }

  @Test
  void neitherDelayNorUtilizationAloneMakesARequestWait() {
    for (var eager :
        new SequencesDriver[] {
          SequencesDriver.direct(4, 0, 0.5), SequencesDriver.direct(4, DELAY, 0)
        }) {
      eager.run();
      eager.start("A0");
      assertThat(eager.decide()).containsExactly("0: A0");
    }
  }

  @Test
  void measuresTheDelayFromTheOldestWaitingRequest() {
    play = SequencesDriver.direct(4, DELAY, 1);
    play.run();
    Ticket oldest = play.start("A0");
    play.micros = 600;
    play.start("B0");
    assertThat(play.wakeMicros()).isEqualTo(DELAY);
    play.cancel(oldest);
    assertThat(play.actions.taken()).isEmpty();
    assertThat(play.wakeMicros()).isEqualTo(600 + DELAY);
    play.micros = 600 + DELAY;
    assertThat(play.decide()).containsExactly("0: - B0");
  }
}
