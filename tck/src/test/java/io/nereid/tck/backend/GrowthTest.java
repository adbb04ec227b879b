package io.nereid.tck.backend;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What numbers of a process count as growth: in KiB, with a noise of 64 a part. */
class GrowthTest {
  private static boolean grows(long... kibibytes) {
    var held =
        new LeakVerification.Held("BACKEND-LEAK-03", "KiB", ProcessUsage::nativeBytes, 64, 5, 0);
    List<ProcessUsage> usage =
        Arrays.stream(kibibytes).mapToObj(value -> new ProcessUsage(0, 0, 0, 0, 0, value)).toList();
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

  private static boolean growsWithEach(long... files) {
    var held = new LeakVerification.Held("", "files", ProcessUsage::storedFiles, 0, 5, 50);
    return held.grows(
        Arrays.stream(files).mapToObj(value -> new ProcessUsage(0, 0, value, 0, 0, 0)).toList());
  }

  @Test
  void whatOtherProcessesAddDoesNotGrow() { // of a correct backend, beside a busy process
    assertThat(growsWithEach(2191, 2212, 2266, 2320, 2354, 2401, 2451, 2488, 2501)).isFalse();
    assertThat(growsWithEach(9, 9, 9, 9, 9, 9, 9, 9, 9)).isFalse();
  }

  @Test
  void whatEachLoadAddsGrowsBesideOtherProcesses() {
    assertThat(growsWithEach(40, 90, 140, 190, 240, 290, 340, 390, 440)).isTrue();
    assertThat(growsWithEach(40, 140, 241, 341, 441, 400, 500, 600, 700)).isTrue();
  }

  @Test
  void noiseDoesNotGrow() {
    assertThat(grows(0, 60, 120, 180, 240, 300, 360, 420, 480)).isFalse();
  }
}
