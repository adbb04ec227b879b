package io.nereid.engine.telemetry.statistics;

import io.nereid.engine.telemetry.statistics.latency.LatencyHistograms;
import io.nereid.engine.telemetry.statistics.latency.LatencyRecording;
import java.util.ArrayList;
import java.util.List;

/**
 * The statistics behind the metrics of a model version. A version that is reloaded has new
 * statistics, while the requests of the replaced load still end; the metrics of both have the same
 * labels, and count on. So they are the sums over all loads of an unbroken chain, of which each
 * began while the one before it served. Thread-safe.
 */
final class MetricSeries {
  /** The loads that have not ended, oldest first. Guarded by the monitor, as is what follows. */
  private final List<ModelStatistics> loads = new ArrayList<>();

  private final InstanceStatistics ended;

  /**
   * @param recording that of all loads
   */
  MetricSeries(LatencyRecording recording) {
    ended = new InstanceStatistics(recording.withoutRecent());
  }

  synchronized void add(ModelStatistics load) {
    loads.add(load);
  }

  /** Removes a load that counts no more; what it has counted stays. */
  synchronized void end(ModelStatistics load) {
    if (loads.remove(load)) {
      load.addTo(ended);
    }
  }

  synchronized void addTo(InstanceStatistics sum) {
    sum.addAll(ended);
    loads.forEach(load -> load.addTo(sum));
  }

  synchronized void addRecentTo(LatencyHistograms sums) {
    loads.forEach(load -> load.addRecentTo(sums));
  }
}
