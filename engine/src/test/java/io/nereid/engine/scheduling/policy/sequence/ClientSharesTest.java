package io.nereid.engine.scheduling.policy.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.request.SequenceId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What one client may take of the slots and of the backlog. */
class ClientSharesTest {
  private static final int CAPACITY = 4096;

  private SequencesDriver play = SequencesDriver.shared(1_000, QueueLimits.of(CAPACITY));

  private static SequenceId id(int number) {
    return new SequenceId.OfNumber(number);
  }

  private static SequencesDriver limited(int slots, int clientSequences) {
    var limits = new QueueLimits(CAPACITY, Ticket.NEVER, 0, clientSequences);
    return SequencesDriver.shared(slots, limits);
  }

  /** Begins sequences until one is refused; returns how many began. */
  private int begin(String client, int firstId) {
    for (int begun = 0; ; begun++) {
      play.start(client, id(firstId + begun));
      if (!rejections().isEmpty()) {
        return begun;
      }
    }
  }

  private List<String> rejections() {
    return play.actions.taken().stream().filter(each -> each.endsWith("_SHARE")).toList();
  }

  /** Executes until nothing waits for the instance. */
  private List<String> executeAll() {
    List<String> batches = new ArrayList<>();
    for (List<String> next = play.decide(); !next.isEmpty(); next = play.executed()) {
      batches.addAll(next);
    }
    return batches;
  }

  @Test
  void aClientMayHaveAsManySlotsAsItLeavesFree() {
    play.instance(0);

    assertThat(begin("a", 1)).isEqualTo(500);
    assertThat(begin("b", 1_001)).isEqualTo(256);
  }

  @Test
  void aClientThatHasEndedASequenceMayBeginAnother() {
    play.instance(0);
    begin("a", 1);
    play.end("a", id(1));
    executeAll();

    play.start("a", id(2_000));

    assertThat(rejections()).isEmpty();
  }

  @Test
  void aClientMayHaveAllOfAFewSlots() {
    play = SequencesDriver.shared(256, QueueLimits.of(CAPACITY));
    play.instance(0);
    for (int i = 1; i <= 256; i++) {
      play.start("a", id(i));
    }

    assertThat(rejections()).isEmpty();
    assertThat(executeAll()).hasSize(256);
  }

  @Test
  void aClientMayHaveAsManyPlacesOfTheQueueAsItLeavesFree() {
    assertThat(begin("a", 1)).isEqualTo(CAPACITY / 2);
    play.start("b", id(10_000));
    assertThat(rejections()).isEmpty();
  }

  @Test
  void aLimitOfTheOperatorHoldsWhateverIsFree() {
    play = limited(8, 3);
    play.instance(0);

    assertThat(begin("a", 1)).isEqualTo(3);
    assertThat(begin("b", 101)).isEqualTo(3);
    assertThat(begin("c", 201)).as("two have a slot, one waits").isEqualTo(3);
  }

  @Test
  void aLimitOfTheOperatorMayExceedTheShare() {
    play = limited(1_000, 900);
    play.instance(0);

    assertThat(begin("a", 1)).isEqualTo(900);
  }

  @Test
  void furtherRequestsOfASequenceAreNotRefused() {
    play = limited(8, 1);
    play.instance(0);
    play.start("a", id(1));
    play.end("a", id(1));

    assertThat(executeAll()).containsExactly("0: a1", "0: a1");
  }

  @Test
  void aFreeSlotGoesToTheClientThatHasTheFewest() {
    play = SequencesDriver.shared(3, QueueLimits.of(CAPACITY));
    for (int i = 1; i <= 4; i++) {
      play.start("a", id(i));
    }
    play.start("b", id(11));
    play.start("c", id(21));
    play.instance(0);
    assertThat(executeAll()).containsExactly("0: a1", "0: b11", "0: c21");

    play.end("b", id(11));
    assertThat(executeAll()).as("no other client waits").containsExactly("0: b11", "0: a2");
    play.start("d", id(31));
    play.end("c", id(21));
    assertThat(executeAll()).containsExactly("0: c21", "0: d31");
  }

  @Test
  void idleSequencesOfOneClientDoNotKeepOthersWaitingForThemAll() {
    play = SequencesDriver.shared(2, QueueLimits.of(CAPACITY));
    play.instance(0);
    for (int i = 1; i <= 1_000; i++) {
      play.start("a", id(i));
    }
    executeAll();
    play.start("b", id(2_001));
    play.micros += SequencesDriver.IDLE;

    assertThat(executeAll()).containsExactly("0: b2001", "0: a3");
  }

  @Test
  void theWaitThatIsPredictedIsThatOfTheClientsTurn() {
    play =
        SequencesDriver.shared(
            1, new QueueLimits(CAPACITY, 250_000, QueueLimits.SHARE, QueueLimits.SHARE));
    play.instance(0);
    play.start("a", id(1));
    play.start("a", id(2));
    executeAll();
    play.micros += 100;
    play.end("a", id(1));
    executeAll();
    play.start("a", id(3));
    play.start("a", id(4));

    play.start("a", id(5));
    play.start("b", id(11));

    assertThat(play.actions.taken()).containsExactly("a5 refused: 300 us, limit 250 us, 2 ahead");
  }
}
