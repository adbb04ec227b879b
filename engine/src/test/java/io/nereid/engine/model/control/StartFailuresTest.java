package io.nereid.engine.model.control;

import static io.nereid.engine.model.control.StartFailures.MAX_MODELS;
import static io.nereid.engine.model.control.StartFailures.MAX_REASONS;
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
  void aReasonThatIsLongKeepsItsBeginningAndItsEnd() {
    String whole = "x".repeat(MAX_REASONS);
    assertThat(sentence(Set.of("a"), Map.of("a", whole))).endsWith(" a (" + whole + ")");

    String longer = "b" + "\ud83d\ude00".repeat(MAX_REASONS) + "e";
    assertThat(sentence(Set.of("a"), Map.of("a", longer)))
        .endsWith(
            " a (b"
                + "\ud83d\ude00".repeat(MAX_REASONS / 3 - 1)
                + "..."
                + "\ud83d\ude00".repeat(MAX_REASONS - MAX_REASONS / 3 - 4)
                + "e)");
  }

  @Test
  void reasonsOfSeveralModelsAreShorter() {
    String half = "x".repeat(MAX_REASONS / 2);
    assertThat(sentence(Set.of("a", "b"), Map.of("a", half, "b", half + "x")))
        .contains(" a (" + half + "), b (x")
        .containsOnlyOnce("...");
  }
}
