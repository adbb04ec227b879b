package io.nereid.engine.telemetry.statistics;

import io.nereid.engine.telemetry.statistics.StatisticsSnapshot.BatchCosts;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What batches cost, if any did; written by one thread at a time, read by any. */
final class BatchCostCounters {
  private record Histograms(SizeHistogram cost, SizeHistogram padding) {}

  /** Null until there is a batch. */
  private volatile @Nullable Histograms histograms;

  void add(long cost, long padding) {
    Histograms counted = histograms();
    counted.cost.add(cost);
    counted.padding.add(padding);
  }

  private Histograms histograms() {
    Histograms known = histograms;
    if (known == null) {
      known = new Histograms(new SizeHistogram(), new SizeHistogram());
      histograms = known;
    }
    return known;
  }

  /** Adds the counts of another; called by the thread that writes these. */
  void addAll(BatchCostCounters other) {
    Histograms others = other.histograms;
    if (others != null) {
      histograms().cost.addAll(others.cost);
      histograms().padding.addAll(others.padding);
    }
  }

  Optional<BatchCosts> costs() {
    return Optional.ofNullable(histograms)
        .map(counted -> new BatchCosts(counted.cost.sizes(), counted.padding.sizes()));
  }
}
