package io.nereid.engine.model.loading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.engine.model.ModelId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CallOrderTest {
  @Test
  void anEnsembleFollowsTheEnsemblesThatItIsComposedOf() {
    var order = order(Map.of("a", List.of("b", "model"), "b", List.of("c"), "c", List.of("model")));

    assertThat(order.callers()).containsExactly(id("c"), id("b"), id("a"));
  }

  @Test
  void rejectsAnEnsembleThatIsComposedOfItself() {
    var order = order(Map.of("x", List.of("x")));

    assertThatThrownBy(() -> order.requireNotCircular(id("x")))
        .hasMessage("circular dependency between ensembles: x -> ... -> x -> x");
  }

  @Test
  void rejectsEveryEnsembleOfACircularDependency() {
    var order = order(Map.of("a", List.of("b"), "b", List.of("c"), "c", List.of("a")));

    for (String ensemble : List.of("a", "b", "c")) {
      assertThatThrownBy(() -> order.requireNotCircular(id(ensemble)))
          .hasMessage("circular dependency between ensembles: a -> ... -> c -> a");
    }
  }

  @Test
  void anEnsembleThatUsesACircularOneFollowsIt() {
    var order = order(Map.of("d", List.of("e"), "e", List.of("f"), "f", List.of("e")));

    assertThatCode(() -> order.requireNotCircular(id("d"))).doesNotThrowAnyException();
    assertThat(order.callers()).endsWith(id("d"));
    assertThatThrownBy(() -> order.requireNotCircular(id("e")))
        .hasMessage("circular dependency between ensembles: e -> ... -> f -> e");
  }

  private static CallOrder order(Map<String, List<String>> composing) {
    Map<ModelId, List<ModelId>> ids = new HashMap<>();
    composing.forEach((ensemble, models) ->
        ids.put(id(ensemble), models.stream().map(CallOrderTest::id).toList()));
    return new CallOrder(ids, ids.keySet());
  }

  private static ModelId id(String name) {
    return new ModelId("", name);
  }
}
