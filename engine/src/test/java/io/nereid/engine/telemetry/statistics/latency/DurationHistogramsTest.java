package io.nereid.engine.telemetry.statistics.latency;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.telemetry.statistics.latency.DurationDistribution.NativeBucket;
import java.util.Arrays;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DurationHistogramsTest {
  private final DurationHistograms histograms = new DurationHistograms();

  private DurationDistribution distribution() {
    return Objects.requireNonNull(histograms.of(LatencyPhase.QUEUE, 0));
  }

  private void add(long nanos) {
    histograms.add(LatencyPhase.QUEUE, nanos);
  }

  @Test
  void aDurationThatEqualsABoundIsWithinIt() {
    for (double seconds : DurationBuckets.BOUNDS) {
      add(Math.round(seconds * 1e9));
      add(Math.round(seconds * 1e9) + 1);
    }

    assertThat(distribution().cumulative())
        .containsExactly(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 32);
  }

  @ParameterizedTest
  @ValueSource(ints = {-79, -20, -4, -1, 0, 1, 2, 3, 4, 13, 64})
  void nativeBucketsEndAtPowersOfTheFourthRootOfTwo(int index) {
    long bound = (long) Math.floor(Math.pow(2, index / 4.0) * 1e9);
    add(bound);

    assertThat(distribution().nativeBuckets()).containsExactly(new NativeBucket(index, 1));
    if (index < 64) {
      add(bound + 1);
      assertThat(distribution().nativeBuckets())
          .containsExactly(new NativeBucket(index, 1), new NativeBucket(index + 1, 1));
    }
  }

  @Test
  void shortDurationsAreCountedAsZeroAndLongOnesInTheLastBucket() {
    add(-5);
    add(0);
    add(953);
    add(Long.MAX_VALUE);

    assertThat(distribution().zeroCount()).isEqualTo(3);
    assertThat(DurationDistribution.zeroThresholdSeconds()).isEqualTo(Math.pow(2, -20));
    assertThat(distribution().nativeBuckets()).containsExactly(new NativeBucket(64, 1));
  }

  @Test
  void everyDurationIsInOneBucketOfBothHistograms() {
    var random = new SplittableRandom(12);
    long[] durations =
        random.longs(10_000, 0, 45).map(bits -> random.nextLong(1L << bits)).toArray();
    for (long nanos : durations) {
      add(nanos);
    }

    long[] cumulative = distribution().cumulative();
    for (int i = 0; i < DurationBuckets.BOUNDS.size(); i++) {
      long bound = Math.round(DurationBuckets.BOUNDS.get(i) * 1e9);
      long within = Arrays.stream(durations).filter(nanos -> nanos <= bound).count();
      assertThat(cumulative[i]).as("up to %d ns", bound).isEqualTo(within);
    }
    long inNative =
        distribution().nativeBuckets().stream().mapToLong(NativeBucket::count).sum()
            + distribution().zeroCount();
    assertThat(inNative).isEqualTo(durations.length);
  }

  @Test
  void histogramsAreAdded() {
    var other = new DurationHistograms();
    other.add(LatencyPhase.QUEUE, 1_000_000);
    other.add(LatencyPhase.REQUEST, 1);
    add(2_000_000);

    histograms.addAll(other);

    assertThat(distribution().cumulative()).startsWith(0, 0, 0, 1, 2).endsWith(2);
    assertThat(histograms.of(LatencyPhase.REQUEST, 0)).isNotNull();
    assertThat(histograms.of(LatencyPhase.CACHE_HIT, 0)).isNull();
  }
}
