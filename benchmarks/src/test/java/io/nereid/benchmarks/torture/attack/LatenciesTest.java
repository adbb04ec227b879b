package io.nereid.benchmarks.torture.attack;

import static org.assertj.core.api.Assertions.assertThat;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

final class LatenciesTest {
  private static final Offset<Double> PRECISION = Offset.offset(0.01);

  private final Latencies latencies = new Latencies();

  @Test
  void areZeroWithoutRequests() {
    assertThat(latencies.maxMillis()).isZero();
    assertThat(latencies.percentileMillis(50)).isZero();
    assertThat(latencies.count()).isZero();
  }

  @Test
  void haveAMaximumAndPercentiles() {
    for (int millis = 1; millis <= 10; millis++) {
      latencies.succeeded(millis * 1_000_000L);
    }

    assertThat(latencies.maxMillis()).isCloseTo(10, PRECISION);
    assertThat(latencies.percentileMillis(50)).isCloseTo(5, PRECISION);
  }

  @Test
  void countTheLatencyOfARequestThatFailedAndKeepTheFirstReason() {
    latencies.succeeded(1_000_000);
    latencies.failed(9_000_000, "first");
    latencies.failed(2_000_000, "second");

    assertThat(latencies.count()).isEqualTo(3);
    assertThat(latencies.maxMillis()).isCloseTo(9, PRECISION);
    assertThat(latencies.failures()).isEqualTo(2);
    assertThat(latencies.firstFailure()).isEqualTo("first");
  }
}
