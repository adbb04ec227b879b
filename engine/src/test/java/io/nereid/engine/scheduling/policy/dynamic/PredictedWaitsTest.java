package io.nereid.engine.scheduling.policy.dynamic;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.BatchingSettings;
import io.nereid.config.QueuePolicy;
import io.nereid.config.QueuePolicy.TimeoutAction;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.DispatchReason;
import io.nereid.engine.scheduling.policy.NamedTicket;
import io.nereid.engine.scheduling.policy.PredictedWait;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which requests a dynamic batcher refuses because of the wait that it predicts. */
class PredictedWaitsTest extends PredictedWaitsDriver {
  private void arriveUntil(String name, long deadlineMicros) {
    var ticket =
        new NamedTicket(
            name, 1, micros * 1_000, deadlineMicros * 1_000, "key", RequestOptions.NONE);
    policy.arrived(ticket, micros * 1_000, actions);
  }

  @Test
  void admitsEveryRequestWhileNoExecutionWasMeasured() {
    limit(1);
    instance(BUSY);
    arriveAll("a");
    assertThat(decide()).containsExactly("0: a");
    arriveAll("b", "c", "d");
    assertThat(actions.taken()).isEmpty();
  }

  @Test
  void refusesARequestThatWouldWaitForLongerThanTheServerAllows() {
    limit(250);
    measure(1);
    arriveAll("a");
    assertThat(decide()).containsExactly("0: a");

    arriveAll("b", "c", "d");
    assertThat(actions.taken()).containsExactly("d refused: 300 us, limit 250 us, 2 ahead");
    micros += 60;
    arriveAll("e");
    assertThat(actions.taken()).as("the instance is free in 40 us").isEmpty();
    arriveAll("f");
    assertThat(actions.taken()).containsExactly("f refused: 340 us, limit 250 us, 3 ahead");
  }

  private @Nullable PredictedWait announce(String name) {
    var options = new RequestOptions(SequenceId.NONE, false, false, 1, 0, Map.of());
    return policy.announced(
        new NamedTicket(name, 1, micros * 1_000, Ticket.NEVER, "key", options), micros * 1_000);
  }

  @Test
  void refusesARequestByItsHeadLikeOneThatHasArrived() {
    limit(250);
    measure(1);
    arriveAll("a");
    decide();
    arriveAll("b", "c");

    assertThat(announce("d")).isEqualTo(new PredictedWait(300_000, 250_000, 2));
  }

  @Test
  void countsRequestsWhoseHeadsHaveComeForFurtherHeadsOnly() {
    limit(250);
    measure(1);
    arriveAll("a");
    decide();

    assertThat(announce("b")).isNull();
    assertThat(announce("c")).isNull();
    assertThat(announce("d")).isEqualTo(new PredictedWait(300_000, 250_000, 2));
    arriveAll("e", "f");
    assertThat(actions.taken()).isEmpty();
  }

  @Test
  void expectsARequestUntilItArrives() {
    limit(250);
    measure(1);
    arriveAll("a");
    decide();
    announce("b");
    announce("c");

    Ticket arrived =
        new NamedTicket("b", 1, micros * 1_000, Ticket.NEVER, "key", RequestOptions.NONE);
    arrived.setAnnounced(true);
    policy.arrived(arrived, micros * 1_000, actions);

    assertThat(announce("d"))
        .as("behind b and c")
        .isEqualTo(new PredictedWait(300_000, 250_000, 2));
  }

  @Test
  void expectsARequestForAShortTimeOnly() {
    limit(250);
    measure(1);
    arriveAll("a");
    decide();
    announce("b");
    announce("c");

    micros += ExpectedRequests.NANOS / 1_000;
    executed();
    assertThat(announce("d")).isNotNull();
    micros++;
    assertThat(announce("e")).as("the instance is idle").isNull();
  }

  @Test
  void refusesNothingWithoutALimit() {
    withoutLimit();
    measure(1);
    for (int i = 0; i < 500; i++) {
      arrive("r" + i, 1);
    }
    assertThat(actions.taken()).isEmpty();
  }

  @Test
  void admitsARequestThatCanStartAtOnceWhateverItsLimit() {
    limit(1);
    measure(1);
    micros = 1_000;
    arriveUntil("hopeless", micros + 1);

    assertThat(decide()).containsExactly("0: hopeless");
  }

  /** The execution takes 100 us, and of the rest a third is a reserve. */
  @Test
  void aDeadlineCoversTheExecutionToo() {
    withoutLimit();
    measure(1);
    arriveAll("a");
    decide();
    arriveUntil("in time", micros + 100 + 152);
    arriveUntil("late", micros + 100 + 298);

    assertThat(actions.taken()).containsExactly("late refused: 200 us, limit 198 us, 1 ahead");
  }

  @Test
  void aTimeoutLimitsTheWaitAlone() {
    withoutLimit();
    measure(1);
    arriveAll("a");
    decide();
    arrive("in time", 1, "key", 0, 101);
    arrive("late", 1, "key", 0, 199);
    arrive("long", 1, "key", 0, -1);

    assertThat(actions.taken()).containsExactly("late refused: 200 us, limit 199 us, 1 ahead");
  }

  @Test
  void theSmallestLimitApplies() {
    limit(150);
    measure(1);
    arriveAll("a");
    decide();
    arrive("b", 1, "key", 0, 1_000);
    arrive("c", 1, "key", 0, 1_000);

    assertThat(actions.taken()).containsExactly("c refused: 200 us, limit 150 us, 1 ahead");
  }

  @Test
  void aTimeoutThatTheQueuePolicyDoesNotAllowIsNoLimit() {
    for (var policy :
        List.of(
            QueuePolicy.NONE,
            new QueuePolicy(TimeoutAction.REJECT, 0, true, 0),
            new QueuePolicy(TimeoutAction.REJECT, 1_000, false, 0))) {
      queuePolicy(1, policy);
      measure(1);
      arriveAll("a");
      decide();
      arrive("b", 1, "key", 0, 1);

      assertThat(actions.taken()).as("%s", policy).isEmpty();
    }
  }

  @Test
  void aTimeoutAfterWhichRequestsAreDelayedIsNoLimit() {
    queuePolicy(1, new QueuePolicy(TimeoutAction.DELAY, 1_000, true, 0));
    measure(1);
    arriveAll("a");
    decide();
    arrive("b", 1, "key", 0, 1);

    assertThat(actions.taken()).isEmpty();
  }

  @Test
  void aStepOfAnEnsembleIsNotRefused() {
    limit(1);
    measure(1);
    arriveAll("a");
    decide();
    var step = new NamedTicket("step", 1, micros * 1_000, Ticket.NEVER, "key", RequestOptions.NONE);
    policy.arrived(step.asStep(), micros * 1_000, actions);
    micros += EXECUTION - 1;

    assertThat(decide()).isEmpty();
  }

  @Test
  void countsTheRequestsOfTheSameAndHigherPrioritiesOnly() {
    var levels = new BatchingSettings(List.of(), 0, false, 3, 2, QueuePolicy.NONE, Map.of());
    limit(250, levels, 1);
    measure(1);
    arriveAll("a");
    decide();
    arrive("2a", 1, "key", 2, 0);
    arrive("2b", 1, "key", 2, 0);
    arrive("2c", 1, "key", 2, 0);
    arrive("3a", 1, "key", 3, 0);
    arrive("1a", 1, "key", 1, 0);
    arrive("1b", 1, "key", 1, 0);
    arrive("1c", 1, "key", 1, 0);

    assertThat(actions.taken())
        .containsExactly(
            "2c refused: 300 us, limit 250 us, 2 ahead",
            "3a refused: 300 us, limit 250 us, 2 ahead",
            "1c refused: 300 us, limit 250 us, 2 ahead");
  }

  @Test
  void endsAQueuedRequestThatHasWaitedForAsLongAsTheServerAllows() {
    var levels = new BatchingSettings(List.of(), 0, false, 2, 2, QueuePolicy.NONE, Map.of());
    limit(150, levels, 1);
    measure(1);
    arriveAll("a");
    decide();
    arrive("low", 1, "key", 2, 0);
    arrive("high", 1, "key", 1, 0); // before the one that was admitted
    assertThat(finish()).containsExactly("0: high");
    micros += 49;
    assertThat(decide()).isEmpty();
    micros += 1;
    assertThat(decide()).containsExactly("low WAITED_TOO_LONG");
  }

  @Test
  void aDelayedRequestIsEndedByTheLimitOfTheServerToo() {
    var settings =
        new BatchingSettings(
            List.of(),
            0,
            false,
            0,
            0,
            new QueuePolicy(TimeoutAction.DELAY, 100, false, 0),
            Map.of());
    limit(300, settings, 1);
    arriveAll("a");
    assertThat(wakeMicros()).isEqualTo(100);
    micros = 100;
    assertThat(wakeMicros()).isEqualTo(300);
    micros = 300;
    assertThat(decide()).containsExactly("a WAITED_TOO_LONG");
  }

  @Test
  void aBatchTakesNoRequestWithWhichItWouldEndAfterADeadline() {
    policy = policy(BatchingSettings.of(List.of(8), 0), 8);
    measure(1);
    measureAgain(4, 400);
    arrive("a", 1);
    decide();
    arriveUntil("b", micros + 1_000);
    arriveUntil("c", micros + 2_000);
    arrive("d", 1);
    arrive("e", 1);
    micros += 600;

    assertThat(executed()).as("350 of 400 us are used").containsExactly("0: b c d");
    assertThat(actions.reasons()).endsWith(DispatchReason.DEADLINE);
  }

  @Test
  void aDeadlineThatCannotBeMetDoesNotLimitABatch() {
    policy = policy(BatchingSettings.of(List.of(8), 0), 8);
    measure(1);
    measureAgain(4, 400);
    arrive("a", 1);
    decide();
    arriveUntil("lost", micros + 1_000);
    arriveAll("b", "c", "d");
    micros += 950;

    assertThat(executed()).containsExactly("0: lost b c d");
  }

  private void measureAgain(long rows, long nanos) {
    arrive("measured", rows);
    decide();
    micros += nanos;
    executed();
  }

  @Test
  void aBatchThatWasCutShortDoesNotCountAsAFastOne() {
    limit(290);
    measure(1);
    arriveAll("a", "b", "c");
    decide();
    micros += 1;
    policy.cutShort(BUSY, micros * 1_000, actions);
    executed(); // b is executed
    micros += 1;
    arriveAll("d", "e");

    assertThat(actions.taken()).containsExactly("e refused: 299 us, limit 290 us, 2 ahead");
  }
}
