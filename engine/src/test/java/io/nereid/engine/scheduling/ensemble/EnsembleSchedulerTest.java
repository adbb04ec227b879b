package io.nereid.engine.scheduling.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.scheduling.ensemble.EnsembleFixture.Sent;
import io.nereid.engine.testing.LogCapture;
import io.nereid.request.RequestOptions;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;

/** Which steps run, in which order, on which tensors. */
class EnsembleSchedulerTest {
  private static final List<String> OUT = List.of("out");

  @Test
  void passesTheOutputsOfAStepToTheNextAndOfTheLastToTheClient() {
    EnsembleFixture fixture = EnsembleFixture.chain();
    Sent sent = fixture.send(fixture.scheduler());

    assertThat(fixture.model("a").input("I")).containsExactly(1);
    fixture.model("a").answer(7);
    assertThat(fixture.model("b").input("I")).containsExactly(7);
    fixture.model("b").answer(9);

    assertThat(sent.output("out")).containsExactly(9);
    fixture.assertNothingIsLeft();
  }

  @Test
  void passesTensorsWithoutACopy() {
    EnsembleFixture fixture = EnsembleFixture.chain();
    Sent sent = fixture.send(fixture.scheduler());

    Tensor given = sent.pending().request().inputs().getFirst();
    Tensor passed = fixture.model("a").first().request().inputs().getFirst();

    assertThat(passed.data().address()).isEqualTo(given.data().address());
    fixture.model("a").answer(0);
    fixture.model("b").answer(0);
    sent.response().close();
  }

  @Test
  void releasesMemoryAfterItsLastUse() {
    EnsembleFixture fixture = EnsembleFixture.chain();
    Sent sent = fixture.send(fixture.scheduler());

    fixture.model("a").answer(7);
    assertThat(fixture.leases()).as("x alone: the input was read").isEqualTo(1);
    fixture.model("b").answer(9);
    assertThat(fixture.leases()).as("out alone").isEqualTo(1);

    sent.response().close();
    fixture.assertNothingIsLeft();
  }

  @Test
  void startsAStepWhenItsInputsAreCompleteInAnyOrderOfTheSteps() {
    EnsembleFixture fixture =
        new EnsembleFixture("in", "out")
            .step("join", "A=x B=y", "O=out")
            .step("left", "I=in", "O=x")
            .step("right", "I=in", "O=y");
    Sent sent = fixture.send(fixture.scheduler());

    assertThat(fixture.model("left").held()).isEqualTo(1);
    assertThat(fixture.model("right").held()).as("does not wait for left").isEqualTo(1);
    fixture.model("right").answer(2);
    assertThat(fixture.model("join").held()).isZero();
    fixture.model("left").answer(1);
    assertThat(fixture.model("join").input("A")).containsExactly(1);
    assertThat(fixture.model("join").input("B")).containsExactly(2);
    fixture.model("join").answer(3);

    assertThat(sent.output("out")).containsExactly(3);
    fixture.assertNothingIsLeft();
  }

  @Test
  void runsOnlyTheStepsThatTheOutputsAskedForDependOn() {
    EnsembleFixture fixture = EnsembleFixture.diamond();
    Sent sent = fixture.send(fixture.scheduler(), "", RequestOptions.NONE, List.of("right"));

    fixture.model("head").answer(1);
    fixture.model("r").answer(2);

    try (InferenceResponse response = sent.response()) {
      assertThat(response.outputs()).extracting(Tensor::name).containsExactly("right");
    }
    assertThat(fixture.model("l").seen()).isEmpty();
    fixture.assertNothingIsLeft();
  }

  @Test
  void passesTheSameMemoryToBothReadersOfATensor() {
    EnsembleFixture fixture = EnsembleFixture.diamond();
    Sent sent = fixture.send(fixture.scheduler());

    fixture.model("head").answer(4);
    assertThat(fixture.model("l").input("I")).containsExactly(4);
    fixture.model("l").answer(5);
    assertThat(fixture.model("r").input("I")).as("still retained").containsExactly(4);
    fixture.model("r").answer(6);

    assertThat(sent.output("left")).containsExactly(5);
    fixture.assertNothingIsLeft();
  }

  @Test
  void omitsAnInputThatTheClientOmitted() {
    EnsembleFixture fixture =
        new EnsembleFixture("in extra", "out").step("a", "I=in E=extra", "O=out");
    Sent sent = fixture.send(fixture.scheduler(), "", RequestOptions.NONE, OUT, List.of("in"));

    assertThat(fixture.model("a").first().request().inputs())
        .extracting(Tensor::name)
        .containsExactly("I");
    fixture.model("a").answer(1);
    assertThat(sent.output("out")).containsExactly(1);
    fixture.assertNothingIsLeft();
  }

  @Test
  void omitsAnOutputThatTheModelDidNotProduce() {
    EnsembleFixture fixture = EnsembleFixture.diamond();
    Sent sent = fixture.send(fixture.scheduler());

    try (var log = new LogCapture(EnsembleResponses.class.getName(), Level.FINE)) {
      fixture.model("head").answer(1);
      fixture.model("l").answer();
      fixture.model("r").answer(3);

      assertThat(log.messages())
          .containsExactly("[request id: id] Composing models did not output tensor left");
    }
    try (InferenceResponse response = sent.response()) {
      assertThat(response.outputs()).extracting(Tensor::name).containsExactly("right");
    }
    fixture.assertNothingIsLeft();
  }

  @Test
  void stepsThatRespondWhileTheyAreSubmittedDoNotDeepenTheStack() {
    var fixture = new EnsembleFixture("t0", "t20000");
    for (int i = 0; i < 20_000; i++) {
      fixture.step("a", "I=t" + i, "O=t" + (i + 1));
    }
    fixture.model("a").whenSubmitted(model -> model.answer(1));

    Sent sent = fixture.send(fixture.scheduler());

    assertThat(sent.output("t20000")).containsExactly(1);
    fixture.assertNothingIsLeft();
  }

  @Test
  void anEnsembleMayBeAStepOfAnother() {
    EnsembleFixture inner = EnsembleFixture.chain();
    EnsembleScheduler scheduler = inner.scheduler();
    var outer = new EnsembleFixture("in", "out").step("nested", "in=in", "out=out");
    outer.model("nested").whenSubmitted(_ -> {});
    Sent sent = outer.send(outer.scheduler());

    PendingRequest nested = outer.model("nested").first();
    scheduler.submit(nested);
    inner.model("a").answer(1);
    inner.model("b").answer(8);

    assertThat(sent.output("out")).containsExactly(8);
    inner.assertNothingIsLeft();
  }
}
