package io.nereid.engine.telemetry.statistics;

import io.nereid.engine.telemetry.statistics.latency.LatencyRecording;
import io.nereid.request.ModelKey;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** Snapshots for tests of statistics writers. */
public final class Samples {
  private Samples() {}

  /** A model whose counters all differ. */
  public static StatisticsSnapshot busy(String name, long version, Map<String, String> metricTags) {
    var model = TestStatistics.of(new ModelKey(name, version), metricTags);
    model.loaded(4_683_712, 1_700_000_000_500L);
    model.failed(FailureReason.REJECTED, 7_000);
    InstanceStatistics instance = model.addInstance();
    instance.succeeded(2, 21_000, 22_000, 23_000, 24_000, 25_000);
    instance.executed(2, 23_000, 24_000, 25_000, 1_700_000_000_000L);
    instance.succeeded(3, 31_000, 32_000, 33_000, 34_000, 35_000);
    instance.executed(4, 33_000, 34_000, 35_000, 1_700_000_000_001L);
    instance.failed(FailureReason.BACKEND, 8_000);
    instance.failed(FailureReason.BACKEND, 9_000);
    instance.responded(0, ResponseOutcome.SUCCESS, 10, 1);
    instance.responded(1, ResponseOutcome.SUCCESS, 20, 2);
    instance.responded(2, ResponseOutcome.EMPTY, 30, 3);
    instance.responded(0, ResponseOutcome.FAIL, 40, 4);
    instance.responded(0, ResponseOutcome.CANCEL, 50, 5);
    return model.snapshot(6, List.of());
  }

  /** A model that records recent latencies and first responses. */
  public static StatisticsSnapshot recorded(String name, long version) {
    ModelStatistics model = recording(name, version);
    InstanceStatistics instance = model.addInstance();
    instance.succeeded(1, 20_000, 10_000, 5_000, 6_000, 7_000);
    instance.succeeded(1, 40_000, 11_000, 9_000, 10_000, 11_000);
    instance.firstResponded(500_000);
    instance.firstResponded(50_000_000);
    instance.firstResponded(200_000_000);
    return model.snapshot(0, List.of());
  }

  /** A model with two batches whose cost has a limit. */
  public static StatisticsSnapshot costly(String name, long version) {
    var model = TestStatistics.of(new ModelKey(name, version));
    model.dispatched(2, 0);
    model.dispatched(4_000_000, 70);
    return model.snapshot(0, List.of());
  }

  /** A model with an instance on each of these GPUs. */
  public static StatisticsSnapshot onGpus(String name, long version, int... gpus) {
    var model = TestStatistics.of(new ModelKey(name, version));
    for (int gpu : gpus) {
      model.runsOn(OptionalInt.of(gpu));
    }
    return model.snapshot(0, List.of());
  }

  /** Such a model before its first request. */
  public static StatisticsSnapshot recordedAndIdle(String name, long version) {
    return recording(name, version).snapshot(0, List.of());
  }

  private static ModelStatistics recording(String name, long version) {
    return new ModelStatistics(
        "",
        new ModelKey(name, version),
        Map.of(),
        false,
        new LatencyRecording(true, List.of(0.5, 100.0), () -> 0));
  }

  /** A model of a server that keeps models apart by namespaces. */
  public static StatisticsSnapshot inNamespace(String namespace, String name, long version) {
    return new ModelStatistics(
            namespace, new ModelKey(name, version), Map.of(), false, LatencyRecording.NONE)
        .snapshot(0, List.of());
  }

  /** A model before its first request. */
  public static StatisticsSnapshot idle(String name, long version) {
    return TestStatistics.of(new ModelKey(name, version)).snapshot(0, List.of());
  }

  /** A model that caches, with two hits and a miss. */
  public static StatisticsSnapshot caching(String name, long version) {
    var model =
        new ModelStatistics(
            "",
            new ModelKey(name, version),
            Map.of(),
            true,
            new LatencyRecording(true, List.of(0.5), () -> 0));
    model.addInstance().succeeded(1, 100_000, 40_000, 5_000, 6_000, 7_000);
    CacheStatistics cache = model.cache().orElseThrow();
    cache.missed(9_999);
    cache.hit(3_000, 1_000, 2_999);
    cache.hit(5_000, 1_000, 3_999);
    return model.snapshot(0, List.of());
  }
}
