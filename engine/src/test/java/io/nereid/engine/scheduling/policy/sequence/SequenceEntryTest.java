package io.nereid.engine.scheduling.policy.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.NamedTicket;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import java.lang.management.ManagementFactory;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The admission of requests by the sequence batcher. */
class SequenceEntryTest {
  private final SequencesDriver play = SequencesDriver.direct(4);

  @Test
  void rejectsMoreThanOneRow() {
    var options = new RequestOptions(new SequenceId.OfNumber(1), true, false, 0, 0, Map.of());
    play.arrive(new NamedTicket("A0", 2, 0, Ticket.NEVER, "key", options));
    assertThat(play.decide()).containsExactly("A0 SEQUENCE_BATCH_SIZE");
  }

  @Test
  void rejectsARequestWithoutACorrelationId() {
    play.arrive("A0", SequenceId.NONE, true, false, 0, "key");
    assertThat(play.decide()).containsExactly("A0 SEQUENCE_ID_MISSING");
  }

  @Test
  void idsThatAreChosenForTheirEqualHashesAreFoundAsFastAsOthers() {
    int length = 15;
    SequencesDriver many =
        SequencesDriver.shared(
            1 << length, new QueueLimits(4 << length, Ticket.NEVER, 0, 1 << length));
    many.instance(0);
    var cpu = ManagementFactory.getThreadMXBean();
    long begin = cpu.getCurrentThreadCpuTime();
    for (int i = 0; i < 1 << length; i++) {
      var id = new StringBuilder();
      for (int bit = 0; bit < length; bit++) {
        id.append((i >> bit & 1) == 0 ? "Aa" : "BB"); // of equal hashes
      }
      many.start("client", new SequenceId.OfString(id.toString()));
    }

    assertThat(many.actions.taken()).isEmpty();
    assertThat(cpu.getCurrentThreadCpuTime() - begin).isLessThan(1_000_000_000);
  }

  @Test
  void aNumberAndItsTextAreDifferentSequences() {
    play.arrive("A0", new SequenceId.OfNumber(1), true, false, 0, "key");
    play.arrive("B0", new SequenceId.OfString("1"), false, false, 0, "key");
    play.arrive("C0", new SequenceId.OfString("1"), true, false, 0, "key");

    assertThat(play.run()).containsExactly("B0 SEQUENCE_START_MISSING", "0: A0 C0");
  }

  @Test
  void rejectsARequestOfASequenceThatWasNotStarted() {
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
  void distinguishesANumberFromTheSameText() {
    play.arrive("1", new SequenceId.OfNumber(1), true, false, 0, "key");
    play.arrive("one", new SequenceId.OfString("1"), true, false, 0, "key");
    assertThat(play.run()).containsExactly("0: 1 one");
  }

  @Test
  void rejectsOnlyStartsAfterTheStop() {
    play.start("A0");
    play.policy.stopped();
    play.start("B0");
    play.end("A1");
    assertThat(play.run()).containsExactly("B0 SEQUENCE_STOPPING", "0: A0");
    assertThat(play.executed()).containsExactly("0: A1");
  }

  @Test
  void anEnsembleStepCanStartASequenceAfterTheStop() {
    play.policy.stopped();
    var options = new RequestOptions(new SequenceId.OfNumber(1), true, true, 0, 0, Map.of());
    play.arrive(new NamedTicket("A0", 1, 0, Ticket.NEVER, "key", options).asStep());
    assertThat(play.run()).containsExactly("0: A0");
  }

  @Test
  void hasSequencesUntilTheirEndRequests() {
    assertThat(play.policy.hasSequences()).isFalse();
    play.start("A0");
    assertThat(play.policy.hasSequences()).isTrue();
    play.end("A1");
    assertThat(play.policy.hasSequences()).isFalse();
  }

  @Test
  void rejectsRequestsBeyondTheCapacity() {
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
}
