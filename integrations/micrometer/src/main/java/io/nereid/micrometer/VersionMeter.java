package io.nereid.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.nereid.engine.telemetry.statistics.FailureReason;
import io.nereid.engine.telemetry.statistics.RefusalReason;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot.DurationSum;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * A meter that each version of a model has.
 *
 * @param tags those besides the version's
 * @param count how often, or how many
 * @param nanos for how long, of a timer
 */
record VersionMeter(
    Kind kind,
    String name,
    String description,
    Tags tags,
    ToLongFunction<StatisticsSnapshot> count,
    ToLongFunction<StatisticsSnapshot> nanos) {
  enum Kind {
    TIMER,
    COUNTER,
    GAUGE
  }

  /** docs/embedding.md has their names and tags for users. */
  static final List<VersionMeter> ALL = all();

  private static List<VersionMeter> all() {
    List<VersionMeter> all = new ArrayList<>();
    all.add(
        timer(
            "nereid.requests",
            "Requests that succeeded, from arrival to response",
            counts -> counts.requests().success()));
    all.add(
        timer(
            "nereid.queue",
            "Requests that succeeded, from arrival to execution",
            counts -> counts.requests().queue()));
    all.add(
        timer(
            "nereid.compute",
            "Requests that succeeded, in the execution of their batch",
            counts -> counts.requests().computeInfer()));
    for (FailureReason reason : FailureReason.values()) {
      all.add(
          counter(
              "nereid.failures",
              "Requests that were accepted and failed",
              Tags.of("reason", reason.name().toLowerCase(Locale.ROOT)),
              counts -> counts.failures().getOrDefault(reason, 0L)));
    }
    for (RefusalReason reason : RefusalReason.values()) {
      all.add(
          counter(
              "nereid.refusals",
              "Requests that were refused because of the load",
              Tags.of("reason", reason.name().toLowerCase(Locale.ROOT)),
              counts -> counts.refusals().getOrDefault(reason, 0L)));
    }
    all.add(
        counter(
            "nereid.rows",
            "Rows of the requests that were executed and succeeded",
            Tags.empty(),
            StatisticsSnapshot::inferenceCount));
    all.add(
        counter(
            "nereid.executions",
            "Batches that were executed",
            Tags.empty(),
            StatisticsSnapshot::executionCount));
    all.add(
        new VersionMeter(
            Kind.GAUGE,
            "nereid.pending",
            "Requests that wait for an instance",
            Tags.empty(),
            StatisticsSnapshot::pending,
            counts -> 0));
    return List.copyOf(all);
  }

  private static VersionMeter timer(
      String name, String description, Function<StatisticsSnapshot, DurationSum> sum) {
    return new VersionMeter(
        Kind.TIMER,
        name,
        description,
        Tags.empty(),
        counts -> sum.apply(counts).count(),
        counts -> sum.apply(counts).nanos());
  }

  private static VersionMeter counter(
      String name, String description, Tags tags, ToLongFunction<StatisticsSnapshot> count) {
    return new VersionMeter(Kind.COUNTER, name, description, tags, count, counts -> 0);
  }

  /**
   * Registers the meter of a version.
   *
   * @param version its own tags
   * @param common the tags of all meters
   * @param counts referred to weakly
   */
  Meter register(MeterRegistry registry, Tags version, Tags common, EngineCounts counts) {
    int index = ALL.indexOf(this);
    Tags all = common.and(version).and(tags);
    return switch (kind) {
      case TIMER ->
          FunctionTimer.builder(
                  name,
                  counts,
                  it -> it.count(version, index),
                  it -> it.nanos(version, index),
                  TimeUnit.NANOSECONDS)
              .description(description)
              .tags(all)
              .register(registry);
      case COUNTER ->
          FunctionCounter.builder(name, counts, it -> it.count(version, index))
              .description(description)
              .tags(all)
              .register(registry);
      case GAUGE ->
          Gauge.builder(name, counts, it -> it.count(version, index))
              .description(description)
              .tags(all)
              .register(registry);
    };
  }
}
