package io.nereid.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What both strategies have in common: who gets a slot, and for how long. */
class SequencePolicyTest {
  private PlayedSequences play = PlayedSequences.direct(4);

  @Test
  void refusesMoreThanOneRow() {
    var options = new RequestOptions(new SequenceId.OfNumber(1), true, false, 0, 0, Map.of());
    play.arrive(new NamedTicket("A0", 2, 0, Ticket.NEVER, "key", options));
    assertThat(play.decide()).containsExactly("A0 SEQUENCE_BATCH_SIZE");
  }

  @Test
  void refusesARequestWithoutSequence() {
    play.arrive("A0", SequenceId.NONE, true, false, 0, "key");
    assertThat(play.decide()).containsExactly("A0 SEQUENCE_ID_MISSING");
  }

  @Test
  void refusesToGoOnWithASequenceThatNobodyStarted() {
    play.next("A1");
    play.start("B0");
    play.only("C0");
    play.next("C1");
    assertThat(play.decide())
        .containsExactly("A1 SEQUENCE_START_MISSING", "C1 SEQUENCE_START_MISSING");
    play.next("B1");
    assertThat(play.run()).containsExactly("0: B0 C0");
    assertThat(play.executed()).containsExactly("0: B1");
  }

  @Test
  void tellsANumberFromTheSameText() {
    play.arrive("1", new SequenceId.OfNumber(1), true, false, 0, "key");
    play.arrive("one", new SequenceId.OfString("1"), true, false, 0, "key");
    assertThat(play.run()).containsExactly("0: 1 one");
  }

  @Test
  void refusesStartsOnceStoppedAndServesTheRest() {
    play.start("A0");
    play.policy.stopped();
    play.start("B0");
    play.end("A1");
    assertThat(play.run()).containsExactly("B0 SEQUENCE_STOPPING", "0: A0");
    assertThat(play.executed()).containsExactly("0: A1");
  }

  @Test
  void aStepOfAnEnsembleStartsASequenceAlsoAfterTheStop() {
    play.policy.stopped();
    var options = new RequestOptions(new SequenceId.OfNumber(1), true, true, 0, 0, Map.of());
    play.arrive(new NamedTicket("A0", 1, 0, Ticket.NEVER, "key", options).asStep());
    assertThat(play.run()).containsExactly("0: A0");
  }

  @Test
  void hasASequenceUntilItsEndHasCome() {
    assertThat(play.policy.hasSequences()).isFalse();
    play.start("A0");
    assertThat(play.policy.hasSequences()).isTrue();
    play.end("A1");
    assertThat(play.policy.hasSequences()).isFalse();
  }

  @Test
  void refusesWhatIsMoreThanMayWait() {
    for (int i = 0; i < 100; i++) {
      play.arrive("A" + i, i == 0, false);
    }
    play.next("A100");
    play.start("B0");
    assertThat(play.decide()).containsExactly("A100 QUEUE_FULL", "B0 QUEUE_FULL");
    assertThat(play.policy.waiting()).isEqualTo(100);
    assertThat(play.run()).containsExactly("0: A0");
    play.start("C0");
    assertThat(play.executed()).containsExactly("0: A1 C0");
  }

  @Test
  void handsOutTheLowestSlotNumberOfAnyInstanceFirst() {
    play = PlayedSequences.direct(2);
    play.instance(0);
    play.instance(1);
    play.startAll("A0", "B0", "C0", "D0");
    assertThat(play.decide()).containsExactly("0: A0 C0", "1: B0 D0");
  }

  @Test
  void promotesTheBacklogInOrderWithAllThatWaits() {
    play = PlayedSequences.direct(2);
    play.startAll("A0", "B0", "C0", "D0");
    play.next("C1");
    assertThat(play.run()).containsExactly("0: A0 B0");
    play.end("B1");
    assertThat(play.executed()).containsExactly("0: - B1");
    assertThat(play.executed()).containsExactly("0: - C0");
    play.end("C2");
    assertThat(play.executed()).containsExactly("0: - C1");
    assertThat(play.executed()).containsExactly("0: - C2");
    assertThat(play.executed()).containsExactly("0: - D0");
  }

  @Test
  void aWholeSequenceOfTheBacklogTimesOutWithItsFirstTimeout() {
    play = PlayedSequences.direct(1);
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
  void aTimeoutIsForgottenOnceTheSequenceHasASlot() {
    play = PlayedSequences.direct(1);
    play.only("A0");
    play.arrive("B0", true, false, 300, "key");
    assertThat(play.run()).containsExactly("0: A0");
    assertThat(play.wakeMicros()).isEqualTo(PlayedSequences.IDLE);
    play.micros = 400;
    assertThat(play.executed()).containsExactly("0: B0");
  }

  @Test
  void anIdleSequenceLosesItsSlotAtThatVeryMoment() {
    play = PlayedSequences.direct(1);
    play.start("A0");
    assertThat(play.run()).containsExactly("0: A0");
    assertThat(play.executed()).isEmpty();
    play.micros = 100;
    play.start("B0");
    assertThat(play.decide()).isEmpty();
    assertThat(play.wakeMicros()).isEqualTo(PlayedSequences.IDLE);
    play.micros = PlayedSequences.IDLE - 1;
    assertThat(play.decide()).isEmpty();
    play.micros = PlayedSequences.IDLE;
    assertThat(play.decide()).containsExactly("0: B0");
    play.next("A1");
    assertThat(play.decide()).containsExactly("A1 SEQUENCE_START_MISSING");
    play.next("B1"); // its idle time began with its slot
    assertThat(play.executed()).containsExactly("0: B1");
  }

  @Test
  void everyRequestBeginsTheIdleTimeAnew() {
    play.startAll("A0", "B0");
    play.run();
    play.executed();
    play.micros = PlayedSequences.IDLE / 2;
    play.next("A1");
    assertThat(play.decide()).containsExactly("0: A1");
    play.executed();
    play.micros = PlayedSequences.IDLE;
    play.next("A2");
    assertThat(play.decide()).containsExactly("0: A2");
    play.next("B1");
    assertThat(play.decide()).containsExactly("B1 SEQUENCE_START_MISSING");
  }

  @Test
  void whatWaitsOfAnIdleSequenceStillRuns() {
    play = PlayedSequences.direct(1);
    play.startAll("A0", "B0");
    play.next("A1");
    assertThat(play.run()).containsExactly("0: A0");
    play.micros = 2 * PlayedSequences.IDLE;
    assertThat(play.decide()).isEmpty();
    play.next("A2");
    assertThat(play.executed()).containsExactly("A2 SEQUENCE_START_MISSING", "0: A1");
    assertThat(play.executed()).containsExactly("0: B0");
  }

  @Test
  void aSecondStartGoesOnInTheSameSlotBehindWhatWaits() {
    play = PlayedSequences.direct(2);
    play.startAll("A0", "B0");
    Ticket first = play.next("A1");
    Ticket again = play.start("A2");
    Ticket after = play.next("A3");
    assertThat(play.run()).containsExactly("0: A0 B0");
    assertThat(play.executed()).containsExactly("0: A1");
    assertThat(first.sequence()).isNotSameAs(again.sequence());
    assertThat(after.sequence()).isSameAs(again.sequence());
    assertThat(play.steps.ended()).isEmpty();
    assertThat(play.executed()).containsExactly("0: A2");
    assertThat(play.steps.ended()).containsExactly(first.sequence());
    assertThat(play.executed()).containsExactly("0: A3");
  }

  @Test
  void anIdThatHasEndedStartsInAnotherSlotWhileItsOldRequestsRun() {
    play = PlayedSequences.direct(2);
    play.start("A0");
    Ticket last = play.end("A1");
    Ticket again = play.start("A2");
    assertThat(play.run()).containsExactly("0: A0 A2");
    assertThat(play.executed()).containsExactly("0: A1");
    assertThat(play.steps.ended()).isEmpty();
    assertThat(play.executed()).isEmpty();
    assertThat(play.steps.ended()).containsExactly(last.sequence());
    assertThat(again.sequence()).isNotSameAs(last.sequence());
  }

  @Test
  void aCancelledRequestTakesItsSequenceAlong() {
    play = PlayedSequences.direct(1);
    play.instance(0);
    Ticket first = play.start("A0");
    Ticket second = play.next("A1");
    play.start("B0");
    play.next("A2");
    play.policy.cancelled(second, 0, play.steps);
    assertThat(play.decide()).containsExactly("A1 CANCELLED", "A2 CANCELLED", "0: A0");
    assertThat(play.cancel(first)).isEmpty();
    play.next("A3");
    assertThat(play.decide()).containsExactly("A3 SEQUENCE_START_MISSING");
    assertThat(play.steps.ended()).isEmpty();
    assertThat(play.executed()).containsExactly("0: B0");
    assertThat(play.steps.ended()).containsExactly(first.sequence());
  }

  @Test
  void aCancelledRequestInTheBacklogEndsAllOfItsSequence() {
    play = PlayedSequences.direct(1);
    play.run();
    play.startAll("A0", "B0");
    Ticket later = play.next("B1");
    play.start("C0");
    assertThat(play.decide()).containsExactly("0: A0");
    assertThat(play.cancel(later)).containsExactly("B0 CANCELLED", "B1 CANCELLED");
    assertThat(play.steps.ended()).containsExactly(later.sequence());
    play.end("A1");
    assertThat(play.executed()).containsExactly("0: A1");
    assertThat(play.executed()).containsExactly("0: C0");
  }

  @Test
  void aRequestWhoseDeadlineIsOverIsCancelled() {
    play = PlayedSequences.direct(1);
    var options = new RequestOptions(new SequenceId.OfString("A"), true, false, 0, 0, Map.of());
    play.arrive(new NamedTicket("A0", 1, 0, 200_000, "key", options));
    play.next("A1");
    play.start("B0");
    assertThat(play.wakeMicros()).isEqualTo(200);
    play.micros = 200;
    assertThat(play.run()).containsExactly("A0 CANCELLED", "A1 CANCELLED", "0: B0");
  }

  @Test
  void addedInstancesTakeSequencesOfTheBacklog() {
    play = PlayedSequences.direct(1);
    play.startAll("A0", "B0");
    assertThat(play.run()).containsExactly("0: A0");
    play.instance(1);
    assertThat(play.decide()).containsExactly("1: B0");
  }

  @Test
  void aRemovedInstanceFinishesItsSequencesAndGetsNoOther() {
    play = PlayedSequences.direct(2);
    play.instance(0);
    play.instance(1);
    play.startAll("A0", "B0");
    play.decide();
    play.policy.instanceRemoved(0, 0, play.steps);
    assertThat(play.policy.isRemoved(0)).isFalse();
    play.startAll("C0", "D0");
    play.next("A1");
    assertThat(play.executed(0)).containsExactly("0: A1");
    play.end("A2");
    assertThat(play.executed(0)).containsExactly("0: A2");
    assertThat(play.policy.isRemoved(0)).isFalse();
    assertThat(play.executed(0)).isEmpty();
    assertThat(play.policy.isRemoved(0)).isTrue();
    assertThat(play.executed(1)).containsExactly("1: - C0");
    play.instance(0);
    assertThat(play.decide()).containsExactly("0: D0");
  }

  @Test
  void aSequenceEndsOnceItsLastRequestHasBeenExecuted() {
    play.start("A0");
    assertThat(play.run()).containsExactly("0: A0");
    Ticket last = play.end("A1");
    play.executed();
    assertThat(play.steps.ended()).isEmpty();
    play.executed();
    assertThat(play.steps.ended()).containsExactly(last.sequence());
  }
}
