package io.nereid.engine.telemetry.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.telemetry.statistics.StatisticsSnapshot.DurationSum;
import io.nereid.engine.telemetry.statistics.latency.LatencyPhase;
import io.nereid.engine.telemetry.statistics.latency.LatencyRecording;
import io.nereid.request.ModelKey;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ModelStatisticsTest {
  private final ModelStatistics model = TestStatistics.of(new ModelKey("m", 3), Map.of("a", "b"));

  private static DurationSum inferOf(StatisticsSnapshot snapshot, long size) {
    return Objects.requireNonNull(snapshot.batches().get(size)).computeInfer();
  }

  @Test
  void isZeroAndHasEveryReasonBeforeTheFirstRequest() {
    StatisticsSnapshot snapshot = model.snapshot(0, List.of());

    assertThat(snapshot.model()).isEqualTo(new ModelKey("m", 3));
    assertThat(snapshot.metricTags()).isEqualTo(Map.of("a", "b"));
    assertThat(snapshot.lastInferenceMillis()).isZero();
    assertThat(snapshot.inferenceCount()).isZero();
    assertThat(snapshot.executionCount()).isZero();
    assertThat(snapshot.requests().success()).isEqualTo(DurationSum.NONE);
    assertThat(snapshot.requests().fail()).isEqualTo(DurationSum.NONE);
    assertThat(snapshot.batches()).isEmpty();
    assertThat(snapshot.failures()).containsOnlyKeys(FailureReason.values());
    assertThat(snapshot.failures().values()).containsOnly(0L);
    assertThat(snapshot.pending()).isZero();
  }

  @Test
  void countsAnExecutionOnceForItsBatchAndInFullForEachRequest() {
    InstanceStatistics instance = model.addInstance();
    instance.succeeded(2, 100, 40, 5, 6, 7);
    instance.succeeded(1, 90, 30, 5, 6, 7);
    instance.executed(3, 5, 6, 7, 1_000);

    StatisticsSnapshot snapshot = model.snapshot(0, List.of());

    assertThat(snapshot.inferenceCount()).isEqualTo(3);
    assertThat(snapshot.executionCount()).isEqualTo(1);
    assertThat(snapshot.lastInferenceMillis()).isEqualTo(1_000);
    assertThat(snapshot.requests())
        .isEqualTo(
            new StatisticsSnapshot.Requests(
                new DurationSum(2, 190),
                DurationSum.NONE,
                new DurationSum(2, 70),
                new DurationSum(2, 10),
                new DurationSum(2, 12),
                new DurationSum(2, 14),
                DurationSum.NONE,
                DurationSum.NONE));
    assertThat(snapshot.batches()).containsOnlyKeys(3L);
    assertThat(snapshot.batches().get(3L))
        .isEqualTo(
            new StatisticsSnapshot.Batches(
                new DurationSum(1, 5), new DurationSum(1, 6), new DurationSum(1, 7)));
  }

  @Test
  void sumsItsInstancesAndKeepsTheLatestInference() {
    InstanceStatistics late = model.addInstance();
    InstanceStatistics early = model.addInstance();
    late.succeeded(1, 10, 0, 0, 0, 0);
    late.executed(1, 0, 4, 0, 2_000);
    early.succeeded(4, 20, 0, 0, 0, 0);
    early.executed(4, 0, 5, 0, 1_000);
    early.succeeded(1, 30, 0, 0, 0, 0);
    early.executed(1, 0, 6, 0, 1_500);

    StatisticsSnapshot snapshot = model.snapshot(0, List.of());

    assertThat(snapshot.lastInferenceMillis()).isEqualTo(2_000);
    assertThat(snapshot.inferenceCount()).isEqualTo(6);
    assertThat(snapshot.executionCount()).isEqualTo(3);
    assertThat(snapshot.requests().success()).isEqualTo(new DurationSum(3, 60));
    assertThat(inferOf(snapshot, 1)).isEqualTo(new DurationSum(2, 10));
    assertThat(inferOf(snapshot, 4)).isEqualTo(new DurationSum(1, 5));
  }

  @Test
  void listsBatchSizesInAscendingOrder() {
    InstanceStatistics instance = model.addInstance();
    for (long size : new long[] {8, 1, 1L << 40, 3, 8}) {
      instance.executed(size, 0, size, 0, 1);
    }

    assertThat(model.snapshot(0, List.of()).batches().keySet())
        .containsExactly(1L, 3L, 8L, 1L << 40);
    assertThat(inferOf(model.snapshot(0, List.of()), 8)).isEqualTo(new DurationSum(2, 16));
  }

  @Test
  void truncatesEachDurationToMicrosecondsBeforeItIsAdded() {
    InstanceStatistics instance = model.addInstance();
    instance.succeeded(1, 1_999, 2_999, 3_999, 4_999, 5_999);
    instance.succeeded(1, 1_999, 2_999, 3_999, 4_999, 5_999);

    assertThat(model.snapshot(0, List.of()).latencyMicros().values())
        .containsExactly(2L, 4L, 6L, 8L, 10L, 0L, 0L);
    assertThat(model.snapshot(0, List.of()).requests().success().nanos()).isEqualTo(3_998);
  }

  @Test
  void countsFailuresByReasonInsideAndOutsideOfInstances() {
    model.failed(FailureReason.REJECTED, 10);
    model.failed(FailureReason.CANCELED, 20);
    InstanceStatistics instance = model.addInstance();
    instance.failed(FailureReason.CANCELED, 30);
    instance.failed(FailureReason.BACKEND, 40);

    StatisticsSnapshot snapshot = model.snapshot(0, List.of());

    assertThat(snapshot.failures())
        .containsExactly(
            Map.entry(FailureReason.REJECTED, 1L),
            Map.entry(FailureReason.CANCELED, 2L),
            Map.entry(FailureReason.BACKEND, 1L),
            Map.entry(FailureReason.OTHER, 0L));
    assertThat(snapshot.requests().fail()).isEqualTo(new DurationSum(4, 100));
    assertThat(snapshot.requests().success().count()).isZero();
    assertThat(snapshot.inferenceCount()).isZero();
  }

  @Test
  void countsResponsesByIndex() {
    InstanceStatistics instance = model.addInstance();
    InstanceStatistics other = model.addInstance();
    for (int i = 0; i < 100; i++) {
      instance.responded(i, ResponseOutcome.SUCCESS, i, 1);
    }
    other.responded(0, ResponseOutcome.EMPTY, 5, 2);

    var responses = model.snapshot(0, List.of()).responses();
    assertThat(responses).hasSize(100);
    assertThat(responses.get(99).success()).isEqualTo(new DurationSum(1, 100));
    assertThat(responses.get(99).computeInfer()).isEqualTo(new DurationSum(1, 99));
    assertThat(responses.getFirst().computeInfer()).isEqualTo(new DurationSum(2, 7));
    assertThat(responses.getFirst().emptyResponse()).isEqualTo(new DurationSum(1, 7));
  }

  @Test
  void pendingRequestsAreThoseThatNoInstanceHolds() {
    InstanceStatistics first = model.addInstance();
    InstanceStatistics second = model.addInstance();
    first.began(2);
    second.began(1);
    assertThat(model.snapshot(7, List.of()).pending()).isEqualTo(4);

    first.ended(2);
    assertThat(model.snapshot(5, List.of()).pending()).isEqualTo(4);
    assertThat(model.snapshot(0, List.of()).pending())
        .as("ended, but still counted by their instances")
        .isZero();
  }

  @Test
  void reportsTheDurationOfTheLoad() {
    model.loaded(1_500_000_000, 5);
    assertThat(model.snapshot(0, List.of()).load())
        .isEqualTo(new StatisticsSnapshot.Load(1_500_000_000, 5));
  }

  @Test
  @Timeout(60)
  void aReaderSeesTheCountsOfAnotherThreadGrow() throws InterruptedException {
    int requests = 500_000;
    InstanceStatistics instance = model.addInstance();
    Thread writer =
        Thread.ofPlatform()
            .start(() -> {
              for (int i = 0; i < requests; i++) {
                instance.succeeded(1, 1, 1, 1, 1, 1);
                instance.executed(1 + i % 5, 1, 1, 1, i);
              }
            });
    long before = 0;
    while (before < requests) {
      long now = model.snapshot(0, List.of()).executionCount();
      assertThat(now).isGreaterThanOrEqualTo(before);
      before = now;
    }
    writer.join();

    assertThat(model.snapshot(0, List.of()).requests().success().count()).isEqualTo(requests);
    assertThat(model.snapshot(0, List.of()).batches().keySet()).containsExactly(1L, 2L, 3L, 4L, 5L);
  }

  @Test
  void countsTheRequestsThatTheCacheAnsweredAsSuccessesAndNotAsInferences() {
    var cached =
        new ModelStatistics("", new ModelKey("m", 3), Map.of(), true, LatencyRecording.NONE);
    InstanceStatistics instance = cached.addInstance();
    instance.succeeded(2, 100_000, 40_000, 5, 6, 7);
    instance.executed(2, 5, 6, 7, 1_000);
    cached.cache().orElseThrow().missed(9_999);
    cached.cache().orElseThrow().hit(3_000, 1_000, 1_999);
    cached.cache().orElseThrow().hit(3_000, 1_000, 1_999);

    StatisticsSnapshot snapshot = cached.snapshot(0, List.of());

    assertThat(snapshot.inferenceCount()).isEqualTo(2);
    assertThat(snapshot.executionCount()).isEqualTo(1);
    assertThat(snapshot.requests())
        .isEqualTo(
            new StatisticsSnapshot.Requests(
                new DurationSum(3, 106_000),
                DurationSum.NONE,
                new DurationSum(3, 42_000),
                new DurationSum(1, 5),
                new DurationSum(1, 6),
                new DurationSum(1, 7),
                new DurationSum(2, 3_998),
                new DurationSum(1, 9_999)));
    assertThat(snapshot.latencyMicros())
        .containsEntry(LatencyPhase.REQUEST, 106L)
        .containsEntry(LatencyPhase.QUEUE, 42L)
        .containsEntry(LatencyPhase.CACHE_HIT, 2L)
        .containsEntry(LatencyPhase.CACHE_MISS, 9L);
  }
}
