package example;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.nereid.engine.Engine;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.request.ModelKey;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import jakarta.inject.Singleton;

/** The engine's counts as meters, with the tags {@code model} and {@code version}. */
@Singleton
class EngineMetrics implements MeterBinder {
  private final Engine engine;

  EngineMetrics(Engine engine) {
    this.engine = engine;
  }

  /** Reads a count of a model version from the engine; NaN once the version is unloaded. */
  private static ToDoubleFunction<Engine> of(
      ModelKey version, ToDoubleFunction<StatisticsSnapshot> count) {
    return engine ->
        engine.metrics().stream()
            .filter(each -> each.model().equals(version))
            .findFirst()
            .map(count::applyAsDouble)
            .orElse(Double.NaN);
  }

  /** The registry refers to the engine weakly, which is a bean and stays. */
  @Override
  public void bindTo(MeterRegistry registry) {
    for (StatisticsSnapshot loaded : engine.metrics()) {
      ModelKey version = loaded.model();
      Tags tags = Tags.of("model", version.name(), "version", Long.toString(version.version()));
      ToDoubleFunction<Engine> requests =
          of(version, counts -> counts.requests().success().count());
      FunctionTimer.builder(
              "nereid.requests",
              engine,
              it -> (long) requests.applyAsDouble(it),
              of(version, counts -> counts.requests().success().nanos()),
              TimeUnit.NANOSECONDS)
          .description("Requests that succeeded, and how long they took")
          .tags(tags)
          .register(registry);
      FunctionCounter.builder(
              "nereid.failures",
              engine,
              of(version, counts -> counts.failures().values().stream().mapToLong(n -> n).sum()))
          .description("Requests that failed")
          .tags(tags)
          .register(registry);
      FunctionCounter.builder(
              "nereid.executions", engine, of(version, StatisticsSnapshot::executionCount))
          .description("Batches that were executed")
          .tags(tags)
          .register(registry);
      Gauge.builder("nereid.pending", engine, of(version, StatisticsSnapshot::pending))
          .description("Requests that wait for an instance")
          .tags(tags)
          .register(registry);
    }
  }
}
