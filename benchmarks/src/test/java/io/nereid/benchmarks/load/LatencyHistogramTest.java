package io.nereid.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

final class LatencyHistogramTest {
  @Test
  void givesPercentilesInMicrosecondsWithinThreeDigits() {
    var histogram = new LatencyHistogram();
    for (int micros = 1; micros <= 10_000; micros++) {
      histogram.record(micros * 1000L);
    }

    assertThat(histogram.count()).isEqualTo(10_000);
    assertThat(histogram.minMicros()).isCloseTo(1, within(0.01));
    assertThat(histogram.meanMicros()).isCloseTo(5000.5, within(5.0));
    assertThat(histogram.percentileMicros(50)).isCloseTo(5000, within(5.0));
    assertThat(histogram.percentileMicros(99)).isCloseTo(9900, within(10.0));
    assertThat(histogram.percentileMicros(99.9)).isCloseTo(9990, within(10.0));
    assertThat(histogram.maxMicros()).isCloseTo(10_000, within(10.0));
  }

  @Test
  void isZeroThroughoutWhenNothingCame() {
    var histogram = new LatencyHistogram();

    assertThat(histogram.minMicros()).isZero();
    assertThat(histogram.percentileMicros(99)).isZero();
    assertThat(histogram.maxMicros()).isZero();
  }

  @Test
  void countsAnAnswerInTheWindowOfItsEndInAClosedLoopAndOfItsDueTimeInAnOpenOne() {
    var closed = new Tally(new ArrivalProcess.ClosedLoop(1), 100, 200);
    var open = new Tally(new ArrivalProcess.OpenLoop(1, 1, 1), 100, 200);
    for (var tally : new Tally[] {closed, open}) {
      tally.answered(50, 99, 10, 10);
      tally.answered(99, 100, 10, 10);
      tally.answered(150, 160, 10, 10);
      tally.answered(199, 900, 10, 10);
    }

    assertThat(closed.latency().count()).isEqualTo(2);
    assertThat(open.latency().count()).isEqualTo(2);
    assertThat(closed.latency().maxMicros()).isLessThan(0.1);
    assertThat(open.latency().maxMicros()).isCloseTo(0.701, within(0.01));
  }

  @Test
  void takesAnAnswerOfAnotherLengthThanTheFirstForAFailure() {
    var tally = new Tally(new ArrivalProcess.ClosedLoop(1), 0, 100);
    tally.answered(0, 1, 1000, 1000);
    tally.answered(0, 1, 1064, 1064);
    tally.answered(0, 1, 1065, 1065);

    assertThat(tally.latency().count()).isEqualTo(2);
    assertThat(tally.failures()).isEqualTo(1);
    assertThat(tally.firstFailure()).contains("1065").contains("1000");
  }
}
