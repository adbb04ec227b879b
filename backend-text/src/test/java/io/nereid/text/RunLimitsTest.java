package io.nereid.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.text.folder.TextParameters;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Which rows of a batch are run together. */
class RunLimitsTest {
  private static List<List<Integer>> runs(int maxRows, long maxTokens, Integer... lengths) {
    return new RunLimits(maxRows, maxTokens, 4).runs(List.of(lengths), length -> length);
  }

  @Test
  void rowsOfAboutTheSameLengthAreRunTogetherTheLongestFirst() {
    assertThat(runs(8, 100, 7, 9, 8)).isEqualTo(List.of(List.of(9, 8, 7)));
    assertThat(runs(8, 100)).isEmpty();
  }

  @Test
  void paddingCostsNoMoreThanAnotherRun() {
    assertThat(runs(8, 1000, 20, 16)).isEqualTo(List.of(List.of(20, 16)));
    assertThat(runs(8, 1000, 20, 15)).isEqualTo(List.of(List.of(20), List.of(15)));
    assertThat(runs(8, 1000, 20, 18, 16, 14)).isEqualTo(List.of(List.of(20, 18), List.of(16, 14)));
  }

  @Test
  void aRunHasNoMoreRowsThanTheMost() {
    assertThat(runs(2, 100, 5, 5, 5)).hasSize(2).allMatch(run -> run.size() <= 2);
    assertThat(runs(1, 100, 5, 4)).isEqualTo(List.of(List.of(5), List.of(4)));
  }

  @Test
  void aRunHasNoMoreTokensThanTheMostUnlessOneRowHas() {
    assertThat(runs(8, 10, 5, 5, 5)).hasSize(2).allMatch(run -> run.size() <= 2);
    assertThat(runs(8, 9, 5, 5, 5)).isEqualTo(List.of(List.of(5), List.of(5), List.of(5)));
    assertThat(runs(8, 10, 50, 5)).isEqualTo(List.of(List.of(50), List.of(5)));
  }

  @Test
  void eachRowIsRunOnce() {
    var random = new Random(11);
    for (int i = 0; i < 200; i++) {
      List<Integer> rows = random.ints(1 + random.nextInt(60), 1, 512).boxed().toList();
      var limits = new RunLimits(1 + random.nextInt(32), 16_384, 1 + random.nextInt(300));

      assertThat(limits.runs(rows, row -> row).stream().flatMap(List::stream))
          .containsExactlyInAnyOrderElementsOf(rows);
    }
  }

  @Test
  void aProcessorRunsFewerTokensThanAGpu() {
    ModelConfig config = ModelConfig.of("texts", "text");

    assertThat(RunLimits.of(config, InstanceSettings.Kind.KIND_CPU))
        .isEqualTo(new RunLimits(32, 512, 4));
    assertThat(RunLimits.of(config, InstanceSettings.Kind.KIND_GPU))
        .isEqualTo(new RunLimits(32, 16_384, 256));
    assertThat(RunLimits.ofLong(config, InstanceSettings.Kind.KIND_CPU))
        .isEqualTo(new RunLimits(32, 128, 4));
    assertThat(RunLimits.ofLong(config, InstanceSettings.Kind.KIND_GPU))
        .isEqualTo(new RunLimits(32, 16_384, 256));
  }

  @Test
  void parametersStateTheLimits() {
    ModelConfig config =
        ModelConfig.of("texts", "text").toBuilder()
            .parameters(
                Map.of(TextParameters.MAX_BATCH_TOKENS, "100", TextParameters.MAX_BATCH_TEXTS, "3"))
            .build();

    assertThat(RunLimits.of(config, InstanceSettings.Kind.KIND_CPU))
        .isEqualTo(new RunLimits(3, 100, 4))
        .isEqualTo(RunLimits.ofLong(config, InstanceSettings.Kind.KIND_CPU));
  }
}
