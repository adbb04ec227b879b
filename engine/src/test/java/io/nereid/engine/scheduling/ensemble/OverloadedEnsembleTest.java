package io.nereid.engine.scheduling.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.scheduling.ensemble.EnsembleFixture.Sent;
import io.nereid.engine.scheduling.policy.WaitLimit;
import io.nereid.engine.telemetry.statistics.RefusalReason;
import io.nereid.error.StatusCode;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests of an ensemble that would wait for too long in its steps. */
class OverloadedEnsembleTest {
  private final EnsembleFixture fixture = EnsembleFixture.chain();

  /** The requests of the fixture arrive at 0, and are sent at 10 ms. */
  private final EnsembleScheduler scheduler =
      fixture.scheduler(new WaitLimit(Duration.ofMillis(35).toNanos()));

  /** Measures that a response takes 10 ms. */
  @BeforeEach
  void measure() {
    Sent sent = fixture.send(scheduler);
    fixture.clock().advance(Duration.ofMillis(10));
    answer(sent);
  }

  private void answer(Sent sent) {
    fixture.model("a").answer(1);
    fixture.model("b").answer(1);
    sent.response().close();
  }

  @AfterEach
  void nothingIsLeft() {
    fixture.assertNothingIsLeft();
  }

  @Test
  void refusesARequestBeforeItsFirstStep() {
    List<Sent> admitted = List.of(fixture.send(scheduler), fixture.send(scheduler));

    Sent refused = fixture.send(scheduler);
    assertThat(refused.outcome().isRejected()).isTrue();
    assertThat(refused.outcome().failure().code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
    assertThat(refused.outcome().failure().getMessage())
        .contains("is overloaded: the request would wait for about 29.999 ms")
        .endsWith("2 requests are ahead of it");
    assertThat(refused.outcome().failure().retryAfter())
        .hasValueSatisfying(
            after -> assertThat(after).isBetween(Duration.ofMillis(4), Duration.ofMillis(5)));
    assertThat(fixture.statistics().refusals()).containsEntry(RefusalReason.PREDICTED_WAIT, 1L);
    admitted.forEach(this::answer);
  }

  @Test
  void refusesNoFurtherRequestOfASequence() {
    List<Sent> admitted = List.of(fixture.send(scheduler), fixture.send(scheduler));
    var further = new RequestOptions(new SequenceId.OfNumber(7), false, false, 0, 0, Map.of());

    Sent sent = fixture.send(scheduler, "id", further, List.of("out"));
    assertThat(sent.outcome().calls()).isZero();
    admitted.forEach(this::answer);
    answer(sent);
  }

  @Test
  void admitsRequestsAgainOnceThoseInFlightAreAnswered() {
    List<Sent> admitted = List.of(fixture.send(scheduler), fixture.send(scheduler));
    assertThat(fixture.send(scheduler).outcome().isRejected()).isTrue();
    admitted.forEach(this::answer);

    answer(fixture.send(scheduler));
  }
}
