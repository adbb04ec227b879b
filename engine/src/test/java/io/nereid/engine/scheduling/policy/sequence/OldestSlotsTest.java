package io.nereid.engine.scheduling.policy.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.DispatchReason;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The batches of the oldest strategy. */
class OldestSlotsTest {
  private static final long DELAY = 1_000;

  private SequencesDriver play = SequencesDriver.oldest(4, 4, 0, 4);

  @Test
  void dispatchesOneRequestOfASequenceAtATime() {
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
  void dispatchesCandidatesInTheOrderInWhichTheyWereChosen() {
    play = SequencesDriver.oldest(2, 4, 0, 2);
    play.startAll("A0", "B0", "C0");
    play.next("A1");
    assertThat(play.run()).containsExactly("0: A0 B0");
    assertThat(play.executed()).containsExactly("0: C0 A1");
  }

  @Test
  void keepsMoreSequencesThanCandidatesInTheBacklog() {
    play = SequencesDriver.oldest(4, 2, 0, 4);
    play.startAll("A0", "B0", "C0");
    assertThat(play.run()).containsExactly("0: A0 B0");
    play.end("B1");
    assertThat(play.executed()).containsExactly("0: B1");
    assertThat(play.executed()).containsExactly("0: C0");
  }

  @Test
  void startsTheNextSequenceOfASlotAfterTheEndOfThePreviousWasExecuted() {
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
  void hasAsManyCandidatesAsRowsByDefault() {
    play = SequencesDriver.oldest(2, 0, 0, 2);
    play.startAll("A0", "B0", "C0");
    assertThat(play.run()).containsExactly("0: A0 B0");
    assertThat(play.executed()).isEmpty();
  }

  @Test
  void waitsForAPreferredSizeUntilTheDelayExpires() {
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
  void adaptsTheDelayToSingleRequests() {
    play = SequencesDriver.oldest(4, 4, DELAY, 4);
    play.run();
    play.start("A0");
    for (int i = 0; i < 16; i++) {
      assertThat(play.decide()).isEmpty();
      play.micros += DELAY;
      assertThat(play.decide()).containsExactly("0: A" + i);
      play.next("A" + (i + 1));
      play.policy.executed(0, play.now(), play.now(), play.actions);
    }
    assertThat(play.decide()).containsExactly("0: A16"); // the delay is skipped
    play.start("B0"); // would have joined
    play.micros++;
    assertThat(play.executed()).isEmpty();
  }

  @Test
  void dispatchesALargeBatch() {
    play = SequencesDriver.oldest(40, 40, 0, 40);
    List<String> names =
        IntStream.range('A', 'A' + 40).mapToObj(letter -> (char) letter + "0").toList();
    names.forEach(play::start);
    assertThat(play.run()).containsExactly("0: " + String.join(" ", names));
    names.forEach(name -> play.next(name.charAt(0) + "1"));
    assertThat(play.executed().getFirst().split(" ")).hasSize(41);
  }

  @Test
  void dispatchesRequestsOfAnotherShapeInAnotherBatch() {
    play.arrive("A0", true, false, 0, "[4]");
    play.arrive("B0", true, false, 0, "[5]");
    play.arrive("C0", true, false, 0, "[5]");
    assertThat(play.run()).containsExactly("0: A0");
    assertThat(play.executed()).containsExactly("0: B0 C0");
  }

  @Test
  void endsTheSequenceOfACancelledCandidateAndReleasesItsSlot() {
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
  void releasesTheSlotOfACancelledEndCandidate() {
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
