package io.nereid.engine.scheduling.policy.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.request.Ticket;
import io.nereid.request.SequenceId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests that a model reschedules. */
class IterativeSequencesTest {
  private SequencesDriver play = SequencesDriver.iterative(4);

  private Ticket anonymous(String name) {
    return play.arrive(name, SequenceId.NONE, false, false, 0, "key");
  }

  private void reschedule(Ticket... tickets) {
    for (Ticket ticket : tickets) {
      play.policy.rescheduled(ticket, play.now(), play.actions);
    }
  }

  @Test
  void executesARequestWithoutFlagsUntilItIsNotRescheduled() {
    play.run();
    Ticket request = anonymous("x");
    assertThat(play.decide()).containsExactly("0: x");
    assertThat(request.sequenceId()).isEqualTo(new SequenceId.OfNumber(1));
    assertThat(request.sequenceStart()).isTrue();
    reschedule(request);
    assertThat(play.executed()).containsExactly("0: x");
    assertThat(request.sequenceStart()).isFalse();
    assertThat(request.sequenceEnd()).isFalse();
    reschedule(request);
    assertThat(play.executed()).containsExactly("0: x");
    assertThat(play.actions.ended()).isEmpty();
    assertThat(play.executed()).isEmpty();
    assertThat(play.actions.ended()).containsExactly(request.sequence);
    assertThat(play.policy.waiting()).isZero();
  }

  @Test
  void batchesOtherRequestsWithARescheduledOne() {
    for (var each : List.of(SequencesDriver.iterative(4), SequencesDriver.iterativeOldest(4))) {
      play = each;
      play.run();
      Ticket x = anonymous("x");
      assertThat(play.decide()).containsExactly("0: x");
      Ticket y = anonymous("y");
      reschedule(x);
      List<String> together = play.executed();
      assertThat(together).hasSize(1);
      assertThat(together.getFirst().split(" ")).containsExactlyInAnyOrder("0:", "x", "y");
      assertThat(y.sequenceId()).isEqualTo(new SequenceId.OfNumber(2));
    }
  }

  @Test
  void generatesIdsThatNoClientUses() {
    play.arrive("client", new SequenceId.OfNumber(1), true, false, 0, "key");
    Ticket request = anonymous("x");
    assertThat(request.sequenceId()).isEqualTo(new SequenceId.OfNumber(2));
  }

  @Test
  void aClientThatNamesItsSequenceMustSendTheStartFlag() {
    play.next("A0");
    assertThat(play.decide()).containsExactly("A0 SEQUENCE_START_MISSING");
  }

  @Test
  void rejectsARescheduledRequestWhoseIdleTimeExpired() {
    play.run();
    Ticket request = anonymous("x");
    play.decide();
    play.micros = SequencesDriver.IDLE;
    assertThat(play.decide()).isEmpty();
    reschedule(request);
    assertThat(play.executed()).containsExactly("x SEQUENCE_OVER");
    assertThat(play.actions.ended()).containsExactly(request.sequence);
  }

  @Test
  void reschedulingRestartsTheIdleTime() {
    play.run();
    Ticket request = anonymous("x");
    play.decide();
    play.micros = SequencesDriver.IDLE - 1;
    reschedule(request);
    assertThat(play.executed()).containsExactly("0: x");
    play.micros = SequencesDriver.IDLE + 1;
    play.decide();
    reschedule(request);
    assertThat(play.executed()).containsExactly("0: x");
  }

  @Test
  void endsTheSequenceOfACancelledRescheduledRequest() {
    play = SequencesDriver.iterative(1);
    play.run();
    Ticket x = anonymous("x");
    assertThat(play.decide()).containsExactly("0: x");
    anonymous("y");
    reschedule(x);
    assertThat(play.cancel(x)).containsExactly("x CANCELLED");
    assertThat(play.actions.ended()).isEmpty();
    assertThat(play.executed()).containsExactly("0: y");
    assertThat(play.actions.ended()).containsExactly(x.sequence);
  }

  @Test
  void rejectsARescheduledRequestOfARestartedSequence() {
    play = SequencesDriver.iterative(1);
    play.run();
    Ticket first = play.start("A0");
    assertThat(play.decide()).containsExactly("0: A0");
    Ticket again = play.start("A1");
    reschedule(first);
    assertThat(play.executed()).containsExactly("A0 SEQUENCE_OVER", "0: A1");
    assertThat(play.actions.ended()).containsExactly(first.sequence);
    reschedule(again);
    assertThat(play.executed()).containsExactly("0: A1");
  }
}
