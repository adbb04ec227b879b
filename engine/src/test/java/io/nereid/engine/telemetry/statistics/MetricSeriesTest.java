package io.nereid.engine.telemetry.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.telemetry.statistics.StatisticsSnapshot.Histogram.Bucket;
import io.nereid.engine.telemetry.statistics.latency.LatencyPhase;
import io.nereid.engine.telemetry.statistics.latency.LatencyRecording;
import io.nereid.request.ModelKey;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Metrics of a version that is reloaded; Triton's series belong to their labels, too. */
class MetricSeriesTest {
  private static final ModelKey KEY = new ModelKey("m", 1);

  private final ModelStatistics first = load(Map.of());

  private static ModelStatistics load(Map<String, String> tags) {
    return load(tags, 100.0);
  }

  private static ModelStatistics load(Map<String, String> tags, double bound) {
    return new ModelStatistics(
        "", KEY, tags, false, new LatencyRecording(true, List.of(bound), () -> 0));
  }

  private static void succeed(ModelStatistics load, int requests) {
    InstanceStatistics instance = load.addInstance();
    for (int i = 0; i < requests; i++) {
      instance.succeeded(1, 2_000, 1_000, 0, 0, 0);
      instance.executed(1, 0, 0, 0, 1);
      instance.firstResponded(2_000);
    }
  }

  private static long successes(StatisticsSnapshot snapshot) {
    return snapshot.requests().success().count();
  }

  @Test
  void metricsCountOnWhereStatisticsStartFromZero() {
    succeed(first, 3);
    first.failed(FailureReason.REJECTED, 1);
    ModelStatistics second = load(Map.of());
    second.continueMetrics(first);
    succeed(second, 2);

    assertThat(successes(second.snapshot(0, List.of()))).isEqualTo(2);
    assertThat(successes(second.metrics(0))).isEqualTo(5);
    assertThat(second.metrics(0).failures()).containsEntry(FailureReason.REJECTED, 1L);
    assertThat(second.metrics(0).latencyMicros()).containsEntry(LatencyPhase.REQUEST, 10L);
    assertThat(second.metrics(0).firstResponses().orElseThrow().buckets())
        .containsExactly(new Bucket(100, 5));
  }

  @Test
  void requestsThatEndOnTheReplacedLoadCount() {
    ModelStatistics second = load(Map.of());
    second.continueMetrics(first);
    succeed(first, 3);
    assertThat(successes(second.metrics(0))).isEqualTo(3);

    first.close();
    assertThat(successes(second.metrics(0))).isEqualTo(3);
    assertThat(second.metrics(0).firstResponses().orElseThrow().count()).isEqualTo(3);
    assertThat(second.metrics(0).recent().orElseThrow().micros(LatencyPhase.REQUEST, 1))
        .as("quantiles are of the loads that serve")
        .isEmpty();
  }

  @Test
  void closingTwiceCountsOnce() {
    ModelStatistics second = load(Map.of());
    second.continueMetrics(first);
    succeed(first, 1);
    first.close();
    first.close();

    assertThat(successes(second.metrics(0))).isEqualTo(1);
  }

  @Test
  void aChainOfReloadsKeepsNoLoadThatHasEnded() {
    ModelStatistics load = first;
    for (int i = 0; i < 1_000; i++) {
      succeed(load, 1);
      ModelStatistics next = load(Map.of());
      next.continueMetrics(load);
      load.close();
      load = next;
    }

    assertThat(successes(load.metrics(0))).isEqualTo(1_000);
    assertThat(load.metrics(0).executionCount()).isEqualTo(1_000);
    assertThat(successes(load.snapshot(0, List.of()))).isZero();
  }

  @Test
  void aFailedReloadLeavesTheMetricsAsTheyAre() {
    succeed(first, 2);
    ModelStatistics failed = load(Map.of());
    failed.continueMetrics(first);
    failed.close();

    assertThat(successes(first.metrics(0))).isEqualTo(2);
  }

  @Test
  void otherLabelsOrBucketsAreAnotherSeries() {
    succeed(first, 2);
    ModelStatistics tagged = load(Map.of("team", "a"));
    tagged.continueMetrics(first);
    ModelStatistics otherBuckets = load(Map.of(), 50);
    otherBuckets.continueMetrics(first);

    assertThat(successes(tagged.metrics(0))).isZero();
    assertThat(successes(otherBuckets.metrics(0))).isZero();
  }

  @Test
  void countsAnewOnAnotherGpu() {
    first.runsOn(OptionalInt.of(0));
    ModelStatistics moved = load(Map.of());
    moved.runsOn(OptionalInt.of(1));
    moved.continueMetrics(first);

    assertThat(successes(moved.metrics(0))).isZero();
    assertThat(moved.metrics(0).gpu()).hasValue(1);
  }

  @Test
  void pendingRequestsAreThoseOfTheLoadThatServes() {
    first.addInstance().began(5);
    ModelStatistics second = load(Map.of());
    second.continueMetrics(first);
    second.addInstance().began(1);

    assertThat(second.metrics(3).pending()).isEqualTo(2);
  }

  @Test
  void countsHitsOfTheResponseCacheOn() {
    var before = new ModelStatistics("", KEY, Map.of(), true, LatencyRecording.NONE);
    before.cache().orElseThrow().hit(3_000, 1_000, 2_000);
    var after = new ModelStatistics("", KEY, Map.of(), true, LatencyRecording.NONE);
    after.continueMetrics(before);
    before.close();
    after.cache().orElseThrow().missed(5_000);

    StatisticsSnapshot metrics = after.metrics(0);

    assertThat(metrics.requests().cacheHit().count()).isEqualTo(1);
    assertThat(metrics.requests().cacheMiss().count()).isEqualTo(1);
    assertThat(metrics.latencyMicros()).containsEntry(LatencyPhase.CACHE_HIT, 2L);
    assertThat(after.snapshot(0, List.of()).requests().cacheHit().count()).isZero();
  }
}
