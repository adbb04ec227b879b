package io.nereid.engine.scheduling.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.scheduling.ensemble.EnsembleFixture.Sent;
import org.junit.jupiter.api.Test;

/** The models of an ensemble: kept open, healthy. */
class CalledModelsTest {
  @Test
  void keepsEveryModelOpenFromTheBeginning() {
    EnsembleFixture fixture = EnsembleFixture.chain();
    Sent sent = fixture.send(fixture.scheduler());

    assertThat(fixture.model("b").inside()).as("not reached yet").isEqualTo(1);
    fixture.model("a").answer(1);
    fixture.model("b").answer(1);

    assertThat(sent.outcome().calls()).isEqualTo(1);
    sent.response().close();
    fixture.assertNothingIsLeft();
  }

  @Test
  void failsAtOnceIfAModelIsAboutToClose() {
    EnsembleFixture fixture = EnsembleFixture.chain();
    fixture.model("b").beginToClose();

    Sent sent = fixture.send(fixture.scheduler());

    assertThat(sent.outcome().failure())
        .hasMessage(
            "in ensemble 'e', Request for unknown model: 'b' version 1 is not at ready state");
    fixture.assertNothingIsLeft();
  }

  @Test
  void isHealthyAsLongAsAllItsModelsAre() {
    EnsembleFixture fixture = EnsembleFixture.chain();
    EnsembleScheduler scheduler = fixture.scheduler();

    assertThat(scheduler.isHealthy()).isTrue();
    fixture.model("b").beginToClose();
    assertThat(scheduler.isHealthy()).isFalse();
  }
}
