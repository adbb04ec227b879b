package io.nereid.engine.scheduling.ensemble.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.scheduling.ensemble.EnsembleFixture;
import java.util.List;
import org.junit.jupiter.api.Test;

class EnsembleGraphTest {
  private static EnsembleGraph diamond() {
    return new EnsembleFixture("in spare", "left right")
        .step("head", "I=in", "O=x P=y")
        .step("l", "I=x J=x", "O=left")
        .step("r", "I=y S=spare", "O=right")
        .graph();
  }

  @Test
  void namesEachModelOnce() {
    EnsembleGraph graph =
        new EnsembleFixture("in", "out").step("a", "I=in", "O=x").step("a", "I=x", "O=out").graph();

    assertThat(graph.models()).hasSize(1);
    assertThat(graph.steps()).extracting(EnsembleStep::model).containsExactly(0, 0);
  }

  @Test
  void aTensorMappedToTwoInputsOfAStepIsOneSource() {
    EnsembleGraph graph = diamond();

    assertThat(graph.steps().get(1).inputs()).hasSize(2);
    assertThat(graph.steps().get(1).sources()).containsExactly(graph.tensor("x"));
  }

  @Test
  void aPlanHasTheStepsThatItsOutputsDependOn() {
    EnsembleGraph graph = diamond();
    EnsemblePlan plan = graph.plan(List.of("right"));

    assertThat(plan.readers(graph.tensor("in"))).containsExactly(graph.steps().get(0));
    assertThat(plan.readers(graph.tensor("y"))).containsExactly(graph.steps().get(2));
    assertThat(plan.readers(graph.tensor("x"))).isEmpty();
  }

  @Test
  void aTensorIsUsedByItsReadersAndByTheResponse() {
    EnsembleGraph graph =
        new EnsembleFixture("in", "x out")
            .step("a", "I=in", "O=x")
            .step("b", "I=x", "O=out")
            .graph();

    assertThat(graph.plan(List.of("x", "out")).uses(graph.tensor("x"))).isEqualTo(2);
    assertThat(graph.plan(List.of("out")).uses(graph.tensor("x"))).isEqualTo(1);
    assertThat(graph.plan(List.of("x")).uses(graph.tensor("out"))).isZero();
  }
}
