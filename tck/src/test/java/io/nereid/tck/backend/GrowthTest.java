package io.nereid.tck.backend;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What numbers of a process count as growth: in KiB, with a noise of 64 a part. */
class GrowthTest {
  private static boolean grows(long... kibibytes) {
    var held =
        new LeakVerification.Held("BACKEND-LEAK-03", "KiB", ProcessUsage::nativeBytes, 64, 5);
    List<ProcessUsage> usage =
        Arrays.stream(kibibytes).mapToObj(value -> new ProcessUsage(0, 0, 0, value)).toList();
    return held.grows(usage);
  }

  @Test
  void whatFallsAndComesBackDoesNotGrow() { // of a correct backend, on a busy machine
    assertThat(grows(19_244, 20_887, 20_887, 18_401, 18_612, 21_441, 21_410, 21_446, 21_445))
        .isFalse();
  }

  @Test
  void aSteadyLeakGrowsAlsoIfMuchIsFreedOnce() {
    assertThat(grows(0, 100, 200, 300, 400, 500, 600, 700, 800)).isTrue();
    assertThat(grows(9_000, 9_100, 9_200, 9_300, 5_000, 5_100, 5_200, 5_300, 5_400)).isTrue();
  }

  @Test
  void aLeakInLeapsGrows() {
    assertThat(grows(0, 0, 0, 300, 300, 300, 600, 600, 900)).isTrue();
  }

  @Test
  void noiseDoesNotGrow() {
    assertThat(grows(0, 60, 120, 180, 240, 300, 360, 420, 480)).isFalse();
  }
}
