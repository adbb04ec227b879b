package io.nereid.engine.scheduling.policy.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Timeouts of sequences in the backlog, and idle times of sequences in a slot. */
class SequenceTimesTest {
  private SequencesDriver play = SequencesDriver.direct(4);

  @Test
  void rejectsAWholeSequenceOfTheBacklogAtItsFirstTimeout() {
    play = SequencesDriver.direct(1);
    play.run();
    play.arrive("A0", true, false, 300, "key");
    assertThat(play.decide()).containsExactly("0: A0");
    play.arrive("A1", false, false, 300, "key");
    play.start("B0");
    play.arrive("B1", false, false, 500, "key");
    play.arrive("B2", false, false, 300, "key");
    play.start("C0");
    assertThat(play.wakeMicros()).isEqualTo(300);
    play.micros = 299;
    assertThat(play.decide()).isEmpty();
    play.micros = 300;
    assertThat(play.decide())
        .containsExactly("B0 SEQUENCE_TIMED_OUT", "B1 SEQUENCE_TIMED_OUT", "B2 SEQUENCE_TIMED_OUT");
    play.next("B3");
    assertThat(play.decide()).containsExactly("B3 SEQUENCE_START_MISSING");
    play.end("A2");
    assertThat(play.executed()).containsExactly("0: A1");
    assertThat(play.executed()).containsExactly("0: A2");
    assertThat(play.executed()).containsExactly("0: C0");
  }

  @Test
  void ignoresTimeoutsOfASequenceInASlot() {
    play = SequencesDriver.direct(1);
    play.only("A0");
    play.arrive("B0", true, false, 300, "key");
    assertThat(play.run()).containsExactly("0: A0");
    assertThat(play.wakeMicros()).isEqualTo(SequencesDriver.IDLE);
    play.micros = 400;
    assertThat(play.executed()).containsExactly("0: B0");
  }

  @Test
  void releasesTheSlotWhenTheIdleTimeExpires() {
    play = SequencesDriver.direct(1);
    play.start("A0");
    assertThat(play.run()).containsExactly("0: A0");
    assertThat(play.executed()).isEmpty();
    play.micros = 100;
    play.start("B0");
    assertThat(play.decide()).isEmpty();
    assertThat(play.wakeMicros()).isEqualTo(SequencesDriver.IDLE);
    play.micros = SequencesDriver.IDLE - 1;
    assertThat(play.decide()).isEmpty();
    play.micros = SequencesDriver.IDLE;
    assertThat(play.decide()).containsExactly("0: B0");
    play.next("A1");
    assertThat(play.decide()).containsExactly("A1 SEQUENCE_START_MISSING");
    play.next("B1"); // its idle time began with its slot
    assertThat(play.executed()).containsExactly("0: B1");
  }

  @Test
  void eachRequestRestartsTheIdleTime() {
    play.startAll("A0", "B0");
    play.run();
    play.executed();
    play.micros = SequencesDriver.IDLE / 2;
    play.next("A1");
    assertThat(play.decide()).containsExactly("0: A1");
    play.executed();
    play.micros = SequencesDriver.IDLE;
    play.next("A2");
    assertThat(play.decide()).containsExactly("0: A2");
    play.next("B1");
    assertThat(play.decide()).containsExactly("B1 SEQUENCE_START_MISSING");
  }

  @Test
  void executesTheWaitingRequestsOfAnIdleSequence() {
    play = SequencesDriver.direct(1);
    play.startAll("A0", "B0");
    play.next("A1");
    assertThat(play.run()).containsExactly("0: A0");
    play.micros = 2 * SequencesDriver.IDLE;
    assertThat(play.decide()).isEmpty();
    play.next("A2");
    assertThat(play.executed()).containsExactly("A2 SEQUENCE_START_MISSING", "0: A1");
    assertThat(play.executed()).containsExactly("0: B0");
  }
}
