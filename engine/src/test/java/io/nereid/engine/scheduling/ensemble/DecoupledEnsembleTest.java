package io.nereid.engine.scheduling.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.scheduling.ensemble.EnsembleFixture.Sent;
import io.nereid.error.InferenceException;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class DecoupledEnsembleTest {
  @Test
  void eachResponseOfADecoupledStepRunsThroughTheStepsBehindIt() {
    EnsembleFixture fixture = EnsembleFixture.pipeline();
    Sent sent = fixture.send(fixture.scheduler());

    fixture.model("many").send(1);
    fixture.model("each").answer(10);
    fixture.model("many").send(2);
    fixture.model("many").complete();
    assertThat(sent.outcome().calls()).isZero();
    fixture.model("each").answer(20);

    fixture.assertResponses(sent, 10, 20);
  }

  @Test
  void endsWithoutAFurtherResponseIfNoneIsLeft() {
    EnsembleFixture fixture = EnsembleFixture.pipeline();
    Sent sent = fixture.send(fixture.scheduler());

    fixture.model("many").complete();

    assertThat(sent.outcome().calls()).isEqualTo(1);
    assertThat(sent.outcome().earlier()).isEmpty();
    assertThatThrownBy(() -> sent.outcome().response())
        .hasCauseInstanceOf(NoSuchElementException.class);
    fixture.assertNothingIsLeft();
  }

  @Test
  void respondsInTheOrderOfTheProducer() {
    EnsembleFixture fixture = EnsembleFixture.pipeline();
    Sent sent = fixture.send(fixture.scheduler());
    fixture.model("many").send(1);
    fixture.model("many").send(2);
    fixture.model("many").complete();

    fixture.model("each").answerLast(20);
    assertThat(sent.outcome().earlier()).as("waits for the one before it").isEmpty();
    fixture.model("each").answer(10);

    fixture.assertResponses(sent, 10, 20);
  }

  @Test
  void joinsTensorsOfTheSameIteration() {
    EnsembleFixture fixture =
        new EnsembleFixture("in", "out")
            .decoupledStep("many", "I=in", "O=x")
            .step("fast", "I=x", "O=f")
            .step("slow", "I=x", "O=s")
            .step("join", "F=f S=s", "O=out");
    Sent sent = fixture.send(fixture.scheduler());
    fixture.model("many").send(1);
    fixture.model("many").send(2);
    fixture.model("many").complete();

    fixture.model("fast").answer(11);
    fixture.model("slow").answerLast(22);
    assertThat(fixture.model("join").held()).as("11 and 22 do not belong together").isZero();
    fixture.model("fast").answer(12);
    assertThat(fixture.model("join").input("F")).containsExactly(12);
    assertThat(fixture.model("join").input("S")).containsExactly(22);
    fixture.model("slow").answer(21);
    fixture.model("join").answer(2);
    fixture.model("join").answer(1);

    fixture.assertResponses(sent, 1, 2);
  }

  @Test
  void aFailureEndsItAfterTheResponsesThatWereSent() {
    EnsembleFixture fixture = EnsembleFixture.pipeline();
    Sent sent = fixture.send(fixture.scheduler());
    fixture.model("many").send(1);
    fixture.model("each").answer(10);

    fixture.model("many").fail(InferenceException.unavailable("no more"));

    assertThat(sent.outcome().earlier()).hasSize(1);
    assertThat(sent.outcome().failure()).hasMessage("in ensemble 'e', no more");
    sent.outcome().earlier().forEach(InferenceResponse::close);
    fixture.assertNothingIsLeft();
  }
}
