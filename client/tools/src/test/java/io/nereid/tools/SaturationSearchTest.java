package io.nereid.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

class SaturationSearchTest {
  private static List<Integer> measure(SaturationSearch search, IntToDoubleFunction server) {
    List<Integer> measured = new ArrayList<>();
    for (var next = search.next(); next.isPresent(); next = search.next()) {
      measured.add(next.getAsInt());
      search.measured(server.applyAsDouble(next.getAsInt()));
    }
    return measured;
  }

  @Test
  void theNumberInFlightDoublesUntilTheRateHasNotRisenThreeTimes() {
    SaturationSearch search = new SaturationSearch(1024);

    assertThat(measure(search, n -> Math.min(n, 8) * 100)).containsExactly(1, 2, 4, 8, 16, 32, 64);
    assertThat(search.isFound()).isTrue();
    assertThat(search.inFlight()).isEqualTo(8);
    assertThat(search.rate()).isEqualTo(800);
  }

  @Test
  void aRateThatRisesLessThanFivePercentNeedsNoMoreInFlight() {
    SaturationSearch search = new SaturationSearch(1024);

    assertThat(measure(search, n -> n == 1 ? 100 : n == 2 ? 104 : 104.9))
        .containsExactly(1, 2, 4, 8);
    assertThat(search.inFlight()).isEqualTo(1);
    assertThat(search.rate()).isEqualTo(100);
  }

  @Test
  void twoSlowMeasurementsAreNotTheEnd() {
    SaturationSearch search = new SaturationSearch(1024);

    measure(search, n -> n == 2 || n == 4 ? 90 : Math.min(n, 16) * 100);
    assertThat(search.inFlight()).isEqualTo(16);
    assertThat(search.rate()).isEqualTo(1600);
  }

  @Test
  void theSearchEndsAtTheMostInFlightThatIsAllowed() {
    SaturationSearch search = new SaturationSearch(4);

    assertThat(measure(search, n -> n)).containsExactly(1, 2, 4);
    assertThat(search.isFound()).isFalse();
    assertThat(search.inFlight()).isEqualTo(4);
  }

  @Test
  void aRateThatFallsAtTheMostInFlightIsSaturation() {
    SaturationSearch falling = new SaturationSearch(8);
    assertThat(measure(falling, n -> n == 8 ? 399 : n * 100)).containsExactly(1, 2, 4, 8);
    assertThat(falling.isFound()).isTrue();
    assertThat(falling.inFlight()).isEqualTo(4);

    SaturationSearch level = new SaturationSearch(8);
    measure(level, n -> Math.min(n, 4) * 100);
    assertThat(level.isFound()).isFalse();
  }

  @Test
  void aServerThatAnswersNothingIsLeftSoon() {
    SaturationSearch search = new SaturationSearch(1024);

    assertThat(measure(search, _ -> 0)).containsExactly(1, 2, 4);
    assertThat(search.rate()).isZero();
  }
}
