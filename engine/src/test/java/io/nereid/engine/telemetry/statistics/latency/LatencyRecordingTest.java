package io.nereid.engine.telemetry.statistics.latency;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.telemetry.statistics.InstanceStatistics;
import io.nereid.engine.telemetry.statistics.ModelStatistics;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot.Histogram;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot.Histogram.Bucket;
import io.nereid.request.ModelKey;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LatencyRecordingTest {
  private static final double[] SHARES = {0.5, 0.9, 0.95, 0.99, 0.999};

  private long nanos = TimeUnit.HOURS.toNanos(1);
  private final ModelStatistics model = model(true, List.of(0.5, 100.0, 500.0));

  private ModelStatistics model(boolean recent, List<Double> bounds) {
    return new ModelStatistics(
        "",
        new ModelKey("m", 1),
        Map.of(),
        false,
        new LatencyRecording(recent, bounds, () -> nanos));
  }

  private static void succeed(InstanceStatistics instance, long micros) {
    long request = micros * 1_000;
    instance.succeeded(1, request, request / 2, request / 4, request / 8, request / 16);
  }

  private LatencyHistograms recent() {
    return model.snapshot(0, List.of()).recent().orElseThrow();
  }

  private Histogram firstResponses() {
    return model.snapshot(0, List.of()).firstResponses().orElseThrow();
  }

  @Test
  void recordsNothingUnlessConfigured() {
    var snapshot = model(false, List.of()).snapshot(0, List.of());

    assertThat(snapshot.recent()).isEmpty();
    assertThat(snapshot.firstResponses()).isEmpty();
  }

  @Test
  void hasNoQuantileWithoutRequests() {
    assertThat(recent().micros(LatencyPhase.REQUEST, 0.5)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void quantilesAreExactToEightInAThousand(long seed) {
    var random = new SplittableRandom(seed);
    long[] micros =
        LongStream.generate(() -> (long) Math.exp(random.nextDouble(0, 20)))
            .limit(random.nextInt(1, 5_000))
            .toArray();
    InstanceStatistics instance = model.addInstance();
    for (long each : micros) {
      succeed(instance, each);
    }

    long[] sorted = LongStream.of(micros).sorted().toArray();
    for (double share : SHARES) {
      double exact = sorted[Math.max(0, (int) Math.ceil(share * sorted.length) - 1)];
      assertThat((double) recent().micros(LatencyPhase.REQUEST, share).orElseThrow())
          .as("%s of seed %d", share, seed)
          .isBetween(exact * 0.992, exact * 1.008);
    }
  }

  @Test
  void hasQuantilesOfEachPhase() {
    succeed(model.addInstance(), 64);

    assertThat(recent().micros(LatencyPhase.REQUEST, 0.5)).hasValue(64);
    assertThat(recent().micros(LatencyPhase.QUEUE, 0.5)).hasValue(32);
    assertThat(recent().micros(LatencyPhase.COMPUTE_INPUT, 0.5)).hasValue(16);
    assertThat(recent().micros(LatencyPhase.COMPUTE_INFER, 0.5)).hasValue(8);
    assertThat(recent().micros(LatencyPhase.COMPUTE_OUTPUT, 0.5)).hasValue(4);
  }

  @Test
  void sumsAllInstances() {
    succeed(model.addInstance(), 10);
    succeed(model.addInstance(), 30);

    assertThat(recent().micros(LatencyPhase.REQUEST, 0.5)).hasValue(10);
    assertThat(recent().micros(LatencyPhase.REQUEST, 1)).hasValue(30);
  }

  @Test
  void dropsLatenciesAfterAMinute() {
    InstanceStatistics instance = model.addInstance();
    succeed(instance, 10);
    nanos += 4 * RecentLatencies.PART_NANOS;
    succeed(instance, 30);
    assertThat(recent().micros(LatencyPhase.REQUEST, 0)).hasValue(10);

    nanos += RecentLatencies.PART_NANOS;
    assertThat(recent().micros(LatencyPhase.REQUEST, 0)).hasValue(30);

    succeed(instance, 20); // into the part of the first one
    assertThat(recent().micros(LatencyPhase.REQUEST, 0)).hasValue(20);
    assertThat(recent().micros(LatencyPhase.REQUEST, 1)).hasValue(30);

    nanos += 5 * RecentLatencies.PART_NANOS;
    assertThat(recent().micros(LatencyPhase.REQUEST, 0.5)).isEmpty();
  }

  @Test
  void clampsNegativeAndHugeDurations() {
    InstanceStatistics instance = model.addInstance();
    succeed(instance, -1);
    succeed(instance, Long.MAX_VALUE / 1_000);

    assertThat(recent().micros(LatencyPhase.REQUEST, 0)).hasValue(0);
    assertThat(recent().micros(LatencyPhase.REQUEST, 1).orElseThrow())
        .isGreaterThan(TimeUnit.DAYS.toMicros(12));
  }

  @Test
  void countsFirstResponsesUpToEachBound() {
    InstanceStatistics one = model.addInstance();
    InstanceStatistics other = model.addInstance();
    one.firstResponded(500_000); // bounds are inclusive
    one.firstResponded(500_001);
    other.firstResponded(TimeUnit.MILLISECONDS.toNanos(501));

    assertThat(firstResponses())
        .isEqualTo(
            new Histogram(
                List.of(new Bucket(0.5, 1), new Bucket(100, 2), new Bucket(500, 2)),
                3,
                502_000_001));
  }
}
