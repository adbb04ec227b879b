package example;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.nereid.engine.Engine;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.springframework.stereotype.Component;

/** The engine's counts as meters, with the tags {@code model} and {@code version}. */
@Component
class EngineMetrics implements MeterBinder {
  private final Engine engine;

  EngineMetrics(Engine engine) {
    this.engine = engine;
  }

  /** One model version, whose counts are read when the registry is. */
  private record Version(Engine engine, String model, long version) {
    double read(ToDoubleFunction<StatisticsSnapshot> value) {
      return engine.metrics().stream()
          .filter(each -> each.model().name().equals(model) && each.model().version() == version)
          .findFirst()
          .map(value::applyAsDouble)
          .orElse(Double.NaN);
    }
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    for (StatisticsSnapshot each : engine.metrics()) {
      Tags tags =
          Tags.of("model", each.model().name(), "version", Long.toString(each.model().version()));
      var version = new Version(engine, each.model().name(), each.model().version());
      FunctionTimer.builder(
              "nereid.requests",
              version,
              it -> (long) it.read(counts -> counts.requests().success().count()),
              it -> it.read(counts -> counts.requests().success().nanos()),
              TimeUnit.NANOSECONDS)
          .description("Requests that succeeded, and how long they took")
          .tags(tags)
          .register(registry);
      FunctionCounter.builder(
              "nereid.failures",
              version,
              it -> it.read(counts -> counts.failures().values().stream().mapToLong(n -> n).sum()))
          .description("Requests that failed")
          .tags(tags)
          .register(registry);
      FunctionCounter.builder(
              "nereid.executions", version, it -> it.read(StatisticsSnapshot::executionCount))
          .description("Batches that were executed")
          .tags(tags)
          .register(registry);
      Gauge.builder("nereid.pending", version, it -> it.read(StatisticsSnapshot::pending))
          .description("Requests that wait for an instance")
          .tags(tags)
          .register(registry);
    }
  }
}
