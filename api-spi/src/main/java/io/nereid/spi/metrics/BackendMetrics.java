package io.nereid.spi.metrics;

import io.nereid.error.InferenceException;
import java.util.Map;

/**
 * Where a backend registers its metrics, which the server shows with its own, on the page {@code
 * /metrics}, with the label {@code backend}:
 *
 * <pre>{@code
 * Counter rows =
 *     context.metrics().forModel(config.name(), files.version())
 *         .counter("trees_rows_total", "Rows that were predicted", Map.of("kind", "dense"));
 * rows.add(batch.rows()); // in execute
 * }</pre>
 *
 * <p>To register the same name with the same labels again returns the same metric. It takes a lock:
 * register in {@code open} or {@code load}, and keep the metric. Names and labels are those of
 * Prometheus, in the base units of what they measure; names that begin with {@code nv_} or {@code
 * nereid_} are the server's, and so are the labels {@code backend}, {@code model}, {@code version},
 * {@code le} and {@code quantile}. All metrics of a name are of one kind. A backend may have 10,000
 * lines on the page, of which a histogram has as many as bounds and three more: whatever is beyond
 * counts and is not shown, of which the log warns once. Thread-safe.
 *
 * @see MetricStore
 */
public final class BackendMetrics {
  private final MetricStore store;
  private final Owner owner;

  BackendMetrics(MetricStore store, Owner owner) {
    this.store = store;
    this.owner = owner;
  }

  /**
   * The metrics of one version of a model, with the labels {@code model} and {@code version}. They
   * are gone when the version is closed, or could not be loaded; if it is loaded again before that,
   * the new one goes on with them.
   */
  public BackendMetrics forModel(String model, long version) {
    return new BackendMetrics(store, owner.withModel(model, version));
  }

  /** A counter without labels of its own. */
  public Counter counter(String name, String help) {
    return counter(name, help, Map.of());
  }

  /**
   * A counter.
   *
   * @param name such as {@code trees_rows_total}
   * @param help a sentence for the page; that of the first metric of a name counts
   * @param labels values by name
   * @throws InferenceException INTERNAL; the message names backend and metric, and what is wrong
   */
  public Counter counter(String name, String help, Map<String, String> labels) {
    return (Counter) store.register(owner, name, help, labels, new Counter());
  }

  /** A gauge without labels of its own. */
  public Gauge gauge(String name, String help) {
    return gauge(name, help, Map.of());
  }

  /** A gauge; as {@link #counter(String, String, Map)}. Its value is 0 until it is set. */
  public Gauge gauge(String name, String help, Map<String, String> labels) {
    return (Gauge) store.register(owner, name, help, labels, new Gauge());
  }

  /**
   * A histogram; as {@link #counter(String, String, Map)}.
   *
   * @param bounds from 1 to 100, finite and ascending: the largest value that each bucket counts
   */
  public Histogram histogram(
      String name, String help, Map<String, String> labels, double... bounds) {
    owner.requireBounds(name, bounds);
    return (Histogram) store.register(owner, name, help, labels, new Histogram(bounds));
  }
}
