package io.nereid.engine.model.control;

import static io.nereid.engine.model.control.StartFailures.MAX_MODELS;
import static io.nereid.engine.model.control.StartFailures.MAX_REASON;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class StartFailuresTest {
  private static String sentence(Set<String> models, Map<String, String> reasons) {
    return StartFailures.sentence(models, new TreeMap<>(reasons));
  }

  @Test
  void namesEachModelWithItsReason() {
    assertThat(sentence(Set.of("a", "b", "c"), Map.of("b", "no file", "a", "two\n  lines\n")))
        .isEqualTo("2 of 3 models did not load: a (two lines), b (no file)");
  }

  @Test
  void countsAModelThatOnlyOthersNeed() {
    assertThat(sentence(Set.of("ensemble"), Map.of("step", "no file", "ensemble", "no step")))
        .isEqualTo("2 of 2 models did not load: ensemble (no step), step (no file)");
  }

  @Test
  void namesSomeOfManyModels() {
    SortedMap<String, String> reasons = new TreeMap<>();
    for (int i = 1; i <= MAX_MODELS; i++) {
      reasons.put("m" + i, "r" + i);
    }
    assertThat(StartFailures.sentence(reasons.keySet(), reasons)).endsWith(", m5 (r5)");

    reasons.put("m6", "r6");
    assertThat(StartFailures.sentence(reasons.keySet(), reasons))
        .startsWith("6 of 6 models did not load: m1 (r1), ")
        .endsWith(", m5 (r5) and 1 more");
  }

  @Test
  void shortensReasonsThatAreLong() {
    String whole = "x".repeat(MAX_REASON);
    assertThat(sentence(Set.of("a"), Map.of("a", whole))).endsWith(" a (" + whole + ")");

    String shortened = "x".repeat(MAX_REASON - 3) + "...";
    assertThat(sentence(Set.of("a"), Map.of("a", whole + "x"))).endsWith(" a (" + shortened + ")");
    String pair = "x".repeat(MAX_REASON - 4) + "\ud83d\ude00xxx";
    assertThat(sentence(Set.of("a"), Map.of("a", pair)))
        .endsWith(" a (" + "x".repeat(MAX_REASON - 4) + "...)");
  }
}
