package io.nereid.observe;

import io.nereid.memory.BufferPool;
import io.nereid.statistics.StatisticsSnapshot;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.function.Supplier;

/** All metrics of the server as one text, made anew for each reader. From any thread. */
public final class MetricsPage {
  /** Which metrics there are, besides those that always are. */
  public record Content(boolean counterLatencies, boolean cpu) {}

  private static final SortedMap<String, String> NO_LABELS = Collections.emptySortedMap();

  private final Content content;
  private final Supplier<List<StatisticsSnapshot>> models;
  private final BufferPool pool;
  private final MachineMetrics machine = new MachineMetrics(Path.of("/proc/meminfo"));

  /**
   * @param models what the models that serve have done, in the order of the samples
   */
  public MetricsPage(Content content, Supplier<List<StatisticsSnapshot>> models, BufferPool pool) {
    this.content = content;
    this.models = models;
    this.pool = pool;
  }

  String text() {
    var writer = new PrometheusWriter();
    ModelMetrics.write(writer, models.get(), content.counterLatencies);
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
