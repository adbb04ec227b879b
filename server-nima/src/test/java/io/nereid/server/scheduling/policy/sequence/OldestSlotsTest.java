package io.nereid.server.scheduling.policy.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.request.Ticket;
import io.nereid.server.scheduling.policy.DispatchReason;
import org.junit.jupiter.api.Test;

/** Which candidates of sequences share a batch. */
class OldestSlotsTest {
  private static final long DELAY = 1_000;

  private SequencesDriver play = SequencesDriver.oldest(4, 4, 0, 4);

  @Test
  void oneRequestOfASequenceIsInFlightAtATime() {
    play.start("A0");
    play.next("A1");
    play.end("A2");
    play.startAll("B0", "C0", "D0");
    assertThat(play.run()).containsExactly("0: A0 B0 C0 D0");
    assertThat(play.actions.reasons()).containsExactly(DispatchReason.PREFERRED_SIZE);
    assertThat(play.decide()).isEmpty();
    assertThat(play.executed()).containsExactly("0: A1");
    assertThat(play.executed()).containsExactly("0: A2");
    assertThat(play.executed()).isEmpty();
  }

  @Test
  void candidatesGoInTheOrderInWhichTheyBecameOnes() {
    play = SequencesDriver.oldest(2, 4, 0, 2);
    play.startAll("A0", "B0", "C0");
    play.next("A1");
    assertThat(play.run()).containsExactly("0: A0 B0");
    assertThat(play.executed()).containsExactly("0: C0 A1");
  }

  @Test
  void moreSequencesThanCandidatesWaitInTheBacklog() {
    play = SequencesDriver.oldest(4, 2, 0, 4);
    play.startAll("A0", "B0", "C0");
    assertThat(play.run()).containsExactly("0: A0 B0");
    play.end("B1");
    assertThat(play.executed()).containsExactly("0: B1");
    assertThat(play.executed()).containsExactly("0: C0");
  }

  @Test
  void whoeverGetsTheSlotOfAnEndedSequenceStartsOnceItsEndHasBeenExecuted() {
    play = SequencesDriver.oldest(4, 1, 0, 4);
    play.only("A0");
    play.only("B0");
    play.only("C0");
    assertThat(play.run()).containsExactly("0: A0");
    assertThat(play.decide()).isEmpty();
    assertThat(play.executed()).containsExactly("0: B0");
    assertThat(play.executed()).containsExactly("0: C0");
  }

  @Test
  void withoutMaximumThereAreAsManyCandidatesAsRows() {
    play = SequencesDriver.oldest(2, 0, 0, 2);
    play.startAll("A0", "B0", "C0");
    assertThat(play.run()).containsExactly("0: A0 B0");
    assertThat(play.executed()).isEmpty();
  }

  @Test
  void waitsForAPreferredSizeAsLongAsTheDelay() {
    play = SequencesDriver.oldest(4, 4, DELAY, 2);
    play.run();
    play.start("A0");
    assertThat(play.decide()).isEmpty();
    assertThat(play.wakeMicros()).isEqualTo(DELAY);
    play.start("B0");
    assertThat(play.decide()).containsExactly("0: A0 B0");
    play.next("A1");
    assertThat(play.executed()).isEmpty();
    play.micros = DELAY;
    assertThat(play.decide()).containsExactly("0: A1");
  }

  @Test
  void requestsOfAnotherShapeGoIntoAnotherBatch() {
    play.arrive("A0", true, false, 0, "[4]");
    play.arrive("B0", true, false, 0, "[5]");
    play.arrive("C0", true, false, 0, "[5]");
    assertThat(play.run()).containsExactly("0: A0");
    assertThat(play.executed()).containsExactly("0: B0 C0");
  }

  @Test
  void aCancelledCandidateTakesItsSequenceAlongAndFreesTheSlot() {
    play = SequencesDriver.oldest(4, 1, DELAY, 4);
    play.run();
    Ticket candidate = play.start("A0");
    play.next("A1");
    play.start("B0");
    assertThat(play.decide()).isEmpty();
    assertThat(play.cancel(candidate)).containsExactly("A0 CANCELLED", "A1 CANCELLED");
    play.micros = DELAY;
    assertThat(play.decide()).containsExactly("0: B0");
  }

  @Test
  void aCancelledEndThatHasLeftItsSlotLetsTheNextSequenceStart() {
    play = SequencesDriver.oldest(4, 1, DELAY, 4);
    play.run();
    Ticket end = play.only("A0");
    play.start("B0");
    assertThat(play.decide()).isEmpty();
    assertThat(play.cancel(end)).containsExactly("A0 CANCELLED");
    play.micros = DELAY;
    assertThat(play.decide()).containsExactly("0: B0");
  }
}
