package io.nereid.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Which rows of a batch are run together. */
class RunsTest {
  private static List<List<Integer>> runs(int maxRows, long maxTokens, Integer... lengths) {
    return Runs.of(List.of(lengths), length -> length, maxRows, maxTokens);
  }

  @Test
  void shortRowsAreRunTogetherTheLongestFirst() {
    assertThat(runs(8, 100, 3, 9, 1)).isEqualTo(List.of(List.of(9, 3, 1)));
    assertThat(runs(8, 100)).isEmpty();
  }

  @Test
  void aRunHasNoMoreRowsThanTheMost() {
    assertThat(runs(2, 100, 5, 5, 5)).isEqualTo(List.of(List.of(5, 5), List.of(5)));
    assertThat(runs(1, 100, 5, 4)).isEqualTo(List.of(List.of(5), List.of(4)));
  }

  @Test
  void aRunHasNoMoreTokensThanTheMostUnlessOneRowHas() {
    assertThat(runs(8, 10, 5, 5, 5)).isEqualTo(List.of(List.of(5, 5), List.of(5)));
    assertThat(runs(8, 9, 5, 5, 5)).isEqualTo(List.of(List.of(5), List.of(5), List.of(5)));
    assertThat(runs(8, 10, 50, 5)).isEqualTo(List.of(List.of(50), List.of(5)));
  }

  @Test
  void rowsOfOtherLengthsAreRunApartOnceARunIsLargeEnough() {
    assertThat(runs(8, 10_000, 200, 100, 60)).isEqualTo(List.of(List.of(200, 100), List.of(60)));
    assertThat(runs(8, 10_000, 256, 255, 10)).isEqualTo(List.of(List.of(256, 255), List.of(10)));
  }

  @Test
  void eachRowIsRunOnce() {
    var random = new Random(11);
    for (int i = 0; i < 200; i++) {
      List<Integer> rows = random.ints(1 + random.nextInt(60), 1, 512).boxed().toList();

      List<List<Integer>> runs = Runs.of(rows, row -> row, 1 + random.nextInt(32), 16_384);

      assertThat(runs.stream().flatMap(List::stream)).containsExactlyInAnyOrderElementsOf(rows);
    }
  }
}
