package io.nereid.micrometer;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.nereid.engine.Engine;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The counts of an engine as meters, a set for each version of a model, with the tags {@code model}
 * and {@code version}; docs/embedding.md lists them. A version has its meters from its load until
 * its last request has ended behind the unload. Their counts go on while it is reloaded, and never
 * go back.
 *
 * <p>Thread-safe. The engine refers to this object from the first {@link #bindTo} until {@link
 * #close}; a program need not keep it.
 */
public final class EngineMetrics implements MeterBinder, AutoCloseable {
  private final Engine engine;
  private final Tags tags;
  private final EngineCounts counts;
  private final Runnable listener = this::follow;

  /** By registry, the meters of each version. */
  private final Map<MeterRegistry, Map<Tags, List<Meter>>> registered = new HashMap<>();

  /** The meters of an engine that is alone in its process. */
  public EngineMetrics(Engine engine) {
    this(engine, Tags.empty());
  }

  /**
   * The meters of one of several engines.
   *
   * @param tags that all meters have besides; of each engine other values
   */
  public EngineMetrics(Engine engine, Iterable<Tag> tags) {
    this(engine, tags, engine::metrics, System::nanoTime);
  }

  EngineMetrics(
      Engine engine,
      Iterable<Tag> tags,
      Supplier<List<StatisticsSnapshot>> metrics,
      LongSupplier clock) {
    this.engine = engine;
    this.tags = Tags.of(tags);
    this.counts = new EngineCounts(metrics, clock);
  }

  @Override
  public synchronized void bindTo(MeterRegistry registry) {
    if (registered.isEmpty()) {
      engine.addModelListener(listener);
    }
    registered.putIfAbsent(registry, new HashMap<>());
    follow();
  }

  /**
   * Registers the meters of versions that are new, and removes those of versions that have gone.
   */
  private synchronized void follow() {
    if (registered.isEmpty()) { // it was closed
      return;
    }
    Set<Tags> versions = counts.versions();
    registered.forEach((registry, meters) -> {
      meters
          .entrySet()
          .removeIf(version -> {
            boolean hasGone = !versions.contains(version.getKey());
            if (hasGone) {
              version.getValue().forEach(registry::remove);
            }
            return hasGone;
          });
      for (Tags version : versions) {
        meters.computeIfAbsent(version, added -> register(registry, added));
      }
    });
  }

  private List<Meter> register(MeterRegistry registry, Tags version) {
    return VersionMeter.ALL.stream()
        .map(meter -> meter.register(registry, version, tags, counts))
        .toList();
  }

  /** Removes the meters from their registries, which it no longer follows. */
  @Override
  public synchronized void close() {
    engine.removeModelListener(listener);
    registered.forEach(
        (registry, meters) -> meters.values().forEach(each -> each.forEach(registry::remove)));
    registered.clear();
  }
}
