package io.nereid.server.metrics;

import io.nereid.server.memory.BufferPool;
import io.nereid.server.telemetry.statistics.StatisticsSnapshot;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.function.Supplier;

/** All metrics of the server as one text, made anew for each reader. From any thread. */
public final class MetricsPage {
  /**
   * Which metrics there are, besides those that always are.
   *
   * @param counterLatencies whether sums of durations are
   * @param quantiles which summaries have, where statistics are kept for them
   * @param cpu whether the machine's processors and memory are
   * @param interval for how long these are not looked at again
   */
  public record Content(
      boolean counterLatencies, List<Double> quantiles, boolean cpu, Duration interval) {
    public Content {
      quantiles = List.copyOf(quantiles);
    }
  }

  private static final SortedMap<String, String> NO_LABELS = Collections.emptySortedMap();

  private final Content content;
  private final Supplier<List<StatisticsSnapshot>> models;
  private final BufferPool pool;
  private final MachineMetrics machine;

  /**
   * @param models what the models that serve have done, in the order of the samples
   */
  public MetricsPage(Content content, Supplier<List<StatisticsSnapshot>> models, BufferPool pool) {
    this.content = content;
    this.models = models;
    this.pool = pool;
    this.machine =
        new MachineMetrics(Path.of("/proc/meminfo"), content.interval(), System::nanoTime);
  }

  String text() {
    var writer = new PrometheusWriter();
    List<StatisticsSnapshot> snapshots = models.get();
    ModelMetrics.write(writer, snapshots, content.counterLatencies);
    LatencyFamilies.write(writer, snapshots, content.quantiles);
    if (content.cpu) {
      machine.write(writer);
    }
    writer.gauge(
        "nereid_pool_outstanding_leases",
        "Pieces of tensor memory on loan; 0 when nothing is in flight");
    writer.sample(NO_LABELS, pool.outstanding());
    writer.gauge("nereid_pool_held_bytes", "Tensor memory taken from the system, on loan or free");
    writer.sample(NO_LABELS, pool.heldBytes());
    return writer.text();
  }
}
