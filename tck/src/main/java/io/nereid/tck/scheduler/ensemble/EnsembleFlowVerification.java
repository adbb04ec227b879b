package io.nereid.tck.scheduler.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.error.StatusCode;
import io.nereid.tck.Rule;
import io.nereid.tck.gate.Execution;
import io.nereid.tck.gate.Reply;
import io.nereid.tck.scheduler.GatedModel;
import io.nereid.tck.scheduler.TestResponse;
import io.nereid.tck.support.Outcome;
import java.util.List;

/** Ensembles: batches shared with other requests, limits and cancellation. */
public abstract class EnsembleFlowVerification extends EnsembleVerification {
  @Rule("SCHED-48")
  void itsRequestsShareBatchesWithOthers() {
    GatedModel model = load(8, "dynamic_batching { }");
    GatedModel chain = loadEnsemble(steps(step(model.name(), "IN0", "OUT0")));
    model.block();
    TestResponse first = chain.submit("first");
    TestResponse second = chain.submit("second");
    TestResponse direct = model.submit("direct");

    model.gate().openAll();

    chain.assertEchoed(List.of(first, second));
    model.assertEchoed(List.of(direct));
    assertThat(model.ids()).containsExactly(List.of("first", "second", "direct"));
  }

  /** An ensemble whose first step sends four responses, of which the second step runs one. */
  private GatedModel limited(GatedModel many, GatedModel each) {
    many.gate().openAll();
    many.gate().reply("four", Reply.responses(4));
    return loadEnsemble(
        "ensemble_scheduling { max_inflight_requests: 1 %s %s }"
            .formatted(step(many.name(), "IN0", "x"), step(each.name(), "x", "OUT0")));
  }

  @Rule("SCHED-48")
  void aLimitDelaysStepsAndResponsesKeepTheirOrder() {
    GatedModel many = load(8, DECOUPLED);
    GatedModel each = load(8, TWO_INSTANCES);

    TestResponse four = limited(many, each).submit("four");

    for (int i = 1; i <= 4; i++) {
      each.gate().awaitBegun(i);
      assertThat(each.gate().running()).as("on two instances").hasSize(1);
      if (i < 4) {
        assertThat(many.gate().running()).as("the one that sends them waits").hasSize(1);
      }
      each.gate().open(1);
      each.gate().awaitEnded(i);
    }
    many.gate().awaitEnded(1);
    four.await();
    assertThat(four.failure()).isEmpty();
    assertThat(four.responses()).extracting(Outcome.Outputs::tensors).hasSize(4);
  }

  @Rule("SCHED-48")
  void aCancelledRequestFailsAsCancelledAndDelaysNoOther() {
    GatedModel many = load(8, DECOUPLED);
    GatedModel each = load(8, TWO_INSTANCES);
    GatedModel limited = limited(many, each);
    TestResponse four = limited.submit("four");
    Execution begun = each.gate().awaitBegun(1).getFirst();

    four.cancel();

    assertThat(four.await().failure().orElseThrow().code()).isEqualTo(StatusCode.CANCELLED);
    TestResponse later = limited.submit("later");
    each.gate().openAll();
    limited.assertEchoed(List.of(later));
    assertThat(each.ids()).containsExactly(begun.ids(), List.of("later"));
  }
}
