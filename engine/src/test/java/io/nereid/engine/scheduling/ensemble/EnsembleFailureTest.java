package io.nereid.engine.scheduling.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.scheduling.ensemble.EnsembleFixture.Sent;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.Parameter;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EnsembleFailureTest {
  private static EnsembleFixture branches() {
    return new EnsembleFixture("in", "left right")
        .step("l", "I=in", "O=x")
        .step("after", "I=x", "O=left")
        .step("r", "I=in", "O=right");
  }

  @Test
  void failsOnceThePendingStepsHaveEndedAndStartsNoOther() {
    EnsembleFixture fixture = branches();
    Sent sent = fixture.send(fixture.scheduler());

    fixture.model("r").fail(InferenceException.unavailable("no"));
    assertThat(sent.outcome().calls()).as("l is pending").isZero();
    fixture.model("l").answer(1);

    assertThat(sent.outcome().failure())
        .hasMessage("in ensemble 'e', no")
        .extracting("code")
        .isEqualTo(StatusCode.UNAVAILABLE);
    assertThat(sent.outcome().calls()).isEqualTo(1);
    assertThat(fixture.model("after").seen()).isEmpty();
    fixture.assertNothingIsLeft();
  }

  @Test
  void reportsTheFirstFailure() {
    EnsembleFixture fixture = branches();
    Sent sent = fixture.send(fixture.scheduler());

    fixture.model("l").fail(InferenceException.invalid("first"));
    fixture.model("r").fail(InferenceException.unavailable("second"));

    assertThat(sent.outcome().failure()).hasMessage("in ensemble 'e', first");
    fixture.assertNothingIsLeft();
  }

  @Test
  void theNextRequestSucceeds() {
    EnsembleFixture fixture = EnsembleFixture.chain();
    EnsembleScheduler scheduler = fixture.scheduler();
    fixture.send(scheduler);
    fixture.model("a").fail(InferenceException.internal("no"));

    Sent sent = fixture.send(scheduler);
    fixture.model("a").answer(1);
    fixture.model("b").answer(2);

    assertThat(sent.output("out")).containsExactly(2);
    fixture.assertNothingIsLeft();
  }

  @Test
  void aStepThatIsRejectedWhileItIsSubmittedFailsTheRequest() {
    EnsembleFixture fixture = EnsembleFixture.chain();
    fixture.model("b").whenSubmitted(b -> b.fail(InferenceException.unavailable("full")));
    Sent sent = fixture.send(fixture.scheduler());

    fixture.model("a").answer(1);

    assertThat(sent.outcome().failure()).hasMessage("in ensemble 'e', full");
    fixture.assertNothingIsLeft();
  }

  @Test
  void aSequenceParameterOfAWrongTypeFailsTheRequest() {
    EnsembleFixture fixture = EnsembleFixture.chain();
    Sent sent = fixture.send(fixture.scheduler());

    fixture.model("a").answer(1, Map.of("sequence_end", new Parameter.OfLong(1)));

    assertThat(sent.outcome().failure())
        .hasMessageContaining("expect parameter 'sequence_end' to be TRITONSERVER_PARAMETER_BOOL")
        .extracting("code")
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
    fixture.assertNothingIsLeft();
  }

  @Test
  void aModelThatEndsWithoutAResponseIsReportedAsADeadlock() {
    EnsembleFixture fixture = EnsembleFixture.chain();
    Sent sent = fixture.send(fixture.scheduler());

    fixture.model("a").complete();

    assertThat(sent.outcome().failure())
        .hasMessage(
            "in ensemble 'e', [request id: id] unexpected deadlock, at least one output is not set"
                + " while no more ensemble steps can be made")
        .extracting("code")
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
    fixture.assertNothingIsLeft();
  }

  @Test
  void cancelsThePendingStepsAndStartsNoOther() {
    EnsembleFixture fixture = branches();
    Sent sent = fixture.send(fixture.scheduler());

    sent.promise().cancel();

    assertThat(sent.outcome().failure().code()).isEqualTo(StatusCode.CANCELLED);
    assertThat(fixture.model("l").first().promise().isDecided()).isTrue();
    assertThat(fixture.model("r").first().promise().isDecided()).isTrue();
    fixture.model("l").endCancelled();
    fixture.model("r").answer(1);
    assertThat(fixture.model("after").seen()).isEmpty();
    assertThat(sent.outcome().calls()).isEqualTo(1);
    fixture.assertNothingIsLeft();
  }

  @Test
  void aCancelledRequestKeepsItsInputsAndModelsUntilItsStepsEnd() {
    EnsembleFixture fixture = EnsembleFixture.chain();
    Sent sent = fixture.send(fixture.scheduler());

    sent.promise().cancel();

    assertThat(fixture.model("a").input("I")).as("the instance still reads it").containsExactly(1);
    assertThat(fixture.model("a").inside()).isEqualTo(1);
    fixture.model("a").endCancelled();
    fixture.assertNothingIsLeft();
  }

  @Test
  void aRequestThatIsCancelledBeforeItsStartRunsNoStep() {
    EnsembleFixture fixture = EnsembleFixture.chain();
    EnsembleScheduler scheduler = fixture.scheduler();
    fixture
        .model("a")
        .whenSubmitted(_ -> {
          throw new AssertionError("must not run");
        });

    fixture.sendCancelled(scheduler);

    assertThat(fixture.model("a").seen()).isEmpty();
    fixture.assertNothingIsLeft();
  }

  @Test
  void aCancellationAfterTheResponseHasNoEffect() {
    EnsembleFixture fixture = EnsembleFixture.chain();
    Sent sent = fixture.send(fixture.scheduler());
    fixture.model("a").answer(1);
    fixture.model("b").answer(2);

    sent.promise().cancel();

    assertThat(sent.output("out")).containsExactly(2);
    assertThat(sent.outcome().calls()).isEqualTo(1);
    fixture.assertNothingIsLeft();
  }
}
