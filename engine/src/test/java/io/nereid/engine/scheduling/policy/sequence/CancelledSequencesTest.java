package io.nereid.engine.scheduling.policy.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.NamedTicket;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The requests that are rejected with a cancelled request. */
class CancelledSequencesTest {
  private final SequencesDriver play = SequencesDriver.direct(1);

  @Test
  void rejectsTheRequestsBehindACancelledOne() {
    play.instance(0);
    Ticket first = play.start("A0");
    Ticket second = play.next("A1");
    play.start("B0");
    play.next("A2");
    play.policy.cancelled(second, 0, play.actions);
    assertThat(play.decide()).containsExactly("A1 CANCELLED", "A2 CANCELLED", "0: A0");
    assertThat(play.cancel(first)).isEmpty();
    play.next("A3");
    assertThat(play.decide()).containsExactly("A3 SEQUENCE_START_MISSING");
    assertThat(play.actions.ended()).isEmpty();
    assertThat(play.executed()).containsExactly("0: B0");
    assertThat(play.actions.ended()).containsExactly(first.sequence);
  }

  @Test
  void rejectsAllRequestsOfASequenceCancelledInTheBacklog() {
    play.run();
    play.startAll("A0", "B0");
    Ticket later = play.next("B1");
    play.start("C0");
    assertThat(play.decide()).containsExactly("0: A0");
    assertThat(play.cancel(later)).containsExactly("B0 CANCELLED", "B1 CANCELLED");
    assertThat(play.actions.ended()).containsExactly(later.sequence);
    play.end("A1");
    assertThat(play.executed()).containsExactly("0: A1");
    assertThat(play.executed()).containsExactly("0: C0");
  }

  @Test
  void cancelsARequestWhoseDeadlineHasPassed() {
    var options = new RequestOptions(new SequenceId.OfString("A"), true, false, 0, 0, Map.of());
    play.arrive(new NamedTicket("A0", 1, 0, 200_000, "key", options));
    play.next("A1");
    play.start("B0");
    assertThat(play.wakeMicros()).isEqualTo(200);
    play.micros = 200;
    assertThat(play.run()).containsExactly("A0 CANCELLED", "A1 CANCELLED", "0: B0");
  }
}
