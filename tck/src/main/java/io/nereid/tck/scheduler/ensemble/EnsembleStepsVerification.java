package io.nereid.tck.scheduler.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.Parameter;
import io.nereid.request.SequenceId;
import io.nereid.tck.Rule;
import io.nereid.tck.gate.Controls;
import io.nereid.tck.gate.Reply;
import io.nereid.tck.scheduler.GatedModel;
import io.nereid.tck.scheduler.TestResponse;
import java.util.List;

/** Ensembles: which steps run, with which inputs, and failures of steps. */
public abstract class EnsembleStepsVerification extends EnsembleVerification {
  @Rule("SCHED-47")
  void runsOnlyWhatTheWantedOutputsDependOn() {
    GatedModel head = loadOpen();
    GatedModel left = loadOpen();
    GatedModel right = loadOpen();
    GatedModel diamond =
        loadEnsemble(
            TWO_OUTPUTS
                + steps(
                    step(head.name(), "IN0", "x"),
                    step(left.name(), "x", "OUT0"),
                    step(right.name(), "x", "OUT1")));

    TestResponse one = diamond.submit(diamond.request("one", 1).wanting("OUT1")).await();

    assertThat(one.failure()).isEmpty();
    assertThat(one.responses().getFirst().tensors()).containsOnlyKeys("OUT1");
    assertThat(head.ids()).containsExactly(List.of("one"));
    assertThat(right.ids()).as("with the client's id").containsExactly(List.of("one"));
    assertThat(left.ids()).isEmpty();
  }

  @Rule("SCHED-47")
  void givesItsStepsTheClientsPriority() {
    GatedModel model = load(1, "dynamic_batching { priority_levels: 2 default_priority_level: 2 }");
    GatedModel chain = loadEnsemble(ensemble, 1, steps(step(model.name(), "IN0", "OUT0")));
    model.block();
    TestResponse low = chain.submit(chain.request("low", 1).withPriority(2));
    TestResponse high = chain.submit(chain.request("high", 1).withPriority(1));

    model.gate().openAll();

    chain.assertEchoed(List.of(low, high));
    assertThat(model.ids()).containsExactly(List.of("high"), List.of("low"));
  }

  @Rule("SCHED-47")
  void givesItsStepsTheClientsSequence() {
    GatedModel model = load(1, "sequence_batching { %s }".formatted(CONTROLS));
    model.gate().openAll();
    GatedModel chain = loadEnsemble(ensemble, 1, steps(step(model.name(), "IN0", "OUT0")));
    var id = new SequenceId.OfNumber(42);

    TestResponse first =
        chain.submit(chain.request("first", 1).inSequence(id, true, false)).await();
    TestResponse last = chain.submit(chain.request("last", 1).inSequence(id, false, true)).await();

    chain.assertEchoed(List.of(first, last));
    assertThat(model.executions())
        .extracting(execution -> execution.requests().getFirst().controls().orElseThrow())
        .extracting(Controls::correlationId, Controls::start, Controls::end)
        .containsExactly(tuple("42", true, false), tuple("42", false, true));
    assertThat(last.responses().getFirst().parameters())
        .containsEntry("sequence_id", new Parameter.OfLong(42))
        .containsEntry("sequence_end", new Parameter.OfBoolean(true));
  }

  @Rule("SCHED-47")
  void failsOnceAndOnlyWhenTheStepsUnderWayHaveEnded() {
    GatedModel left = loadOpen();
    GatedModel right = load(8, "");
    GatedModel branches =
        loadEnsemble(
            TWO_OUTPUTS
                + steps(step(left.name(), "IN0", "OUT0"), step(right.name(), "IN0", "OUT1")));
    left.gate().reply("bad", Reply.failure(InferenceException.unavailable("as it was told")));

    TestResponse bad = branches.submit("bad");
    left.gate().awaitEnded(1);
    right.gate().awaitBegun(1);
    branches.settle();

    assertThat(bad.isDone()).as("a step is under way").isFalse();
    right.gate().openAll();
    String text = "in ensemble '%s', as it was told".formatted(ensemble);
    assertFailed(bad.await(), StatusCode.UNAVAILABLE, text);
    TestResponse next = branches.submit("next").await();
    assertThat(next.failure()).isEmpty();
    assertThat(next.responses()).hasSize(1);
  }
}
