package io.nereid.server.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EnsembleOrderTest {
  @Test
  void anEnsembleFollowsTheEnsemblesThatItIsComposedOf() {
    var order =
        new EnsembleOrder(
            Map.of("a", List.of("b", "model"), "b", List.of("c"), "c", List.of("model")));

    assertThat(order.names()).containsExactly("c", "b", "a");
  }

  @Test
  void rejectsAnEnsembleThatIsComposedOfItself() {
    var order = new EnsembleOrder(Map.of("x", List.of("x")));

    assertThatThrownBy(() -> order.requireNotCircular("x"))
        .hasMessage("circular dependency between ensembles: x -> ... -> x -> x");
  }

  @Test
  void rejectsEveryEnsembleOfACircularDependency() {
    var order = new EnsembleOrder(Map.of("a", List.of("b"), "b", List.of("c"), "c", List.of("a")));

    for (String ensemble : List.of("a", "b", "c")) {
      assertThatThrownBy(() -> order.requireNotCircular(ensemble))
          .hasMessage("circular dependency between ensembles: a -> ... -> c -> a");
    }
  }

  @Test
  void anEnsembleThatUsesACircularOneFollowsIt() {
    var order = new EnsembleOrder(Map.of("d", List.of("e"), "e", List.of("f"), "f", List.of("e")));

    assertThatCode(() -> order.requireNotCircular("d")).doesNotThrowAnyException();
    assertThat(order.names()).endsWith("d");
    assertThatThrownBy(() -> order.requireNotCircular("e"))
        .hasMessage("circular dependency between ensembles: e -> ... -> f -> e");
  }
}
