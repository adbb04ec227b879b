package io.nereid.engine.scheduling.policy.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.request.Ticket;
import org.junit.jupiter.api.Test;

/** The assignment of slots, which is the same for both strategies. */
class SequencePolicyTest {
  private SequencesDriver play = SequencesDriver.direct(4);

  @Test
  void assignsTheLowestSlotNumberOfAnyInstanceFirst() {
    play = SequencesDriver.direct(2);
    play.instance(0);
    play.instance(1);
    play.startAll("A0", "B0", "C0", "D0");
    assertThat(play.decide()).containsExactly("0: A0 C0", "1: B0 D0");
  }

  @Test
  void promotesTheBacklogInOrder() {
    play = SequencesDriver.direct(2);
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
  void aSecondStartKeepsTheSlotAndTheOrder() {
    play = SequencesDriver.direct(2);
    play.startAll("A0", "B0");
    Ticket first = play.next("A1");
    Ticket again = play.start("A2");
    Ticket after = play.next("A3");
    assertThat(play.run()).containsExactly("0: A0 B0");
    assertThat(play.executed()).containsExactly("0: A1");
    assertThat(first.sequence).isNotSameAs(again.sequence);
    assertThat(after.sequence).isSameAs(again.sequence);
    assertThat(play.actions.ended()).isEmpty();
    assertThat(play.executed()).containsExactly("0: A2");
    assertThat(play.actions.ended()).containsExactly(first.sequence);
    assertThat(play.executed()).containsExactly("0: A3");
  }

  @Test
  void startsAnEndedIdInAnotherSlotWhileItsOldRequestsAreExecuted() {
    play = SequencesDriver.direct(2);
    play.start("A0");
    Ticket last = play.end("A1");
    Ticket again = play.start("A2");
    assertThat(play.run()).containsExactly("0: A0 A2");
    assertThat(play.executed()).containsExactly("0: A1");
    assertThat(play.actions.ended()).isEmpty();
    assertThat(play.executed()).isEmpty();
    assertThat(play.actions.ended()).containsExactly(last.sequence);
    assertThat(again.sequence).isNotSameAs(last.sequence);
  }

  @Test
  void assignsSlotsOfAnAddedInstanceToTheBacklog() {
    play = SequencesDriver.direct(1);
    play.startAll("A0", "B0");
    assertThat(play.run()).containsExactly("0: A0");
    play.instance(1);
    assertThat(play.decide()).containsExactly("1: B0");
  }

  @Test
  void aRemovedInstanceFinishesItsSequencesOnly() {
    play = SequencesDriver.direct(2);
    play.instance(0);
    play.instance(1);
    play.startAll("A0", "B0");
    play.decide();
    play.policy.instanceRemoved(0, 0, play.actions);
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
  void endsASequenceAfterItsLastRequestWasExecuted() {
    play.start("A0");
    assertThat(play.run()).containsExactly("0: A0");
    Ticket last = play.end("A1");
    play.executed();
    assertThat(play.actions.ended()).isEmpty();
    play.executed();
    assertThat(play.actions.ended()).containsExactly(last.sequence);
  }
}
