package io.nereid.benchmarks.micro;

import io.nereid.engine.telemetry.ClientSettings;
import io.nereid.engine.telemetry.trace.RequestTrace;
import io.nereid.engine.telemetry.trace.TraceDestination;
import io.nereid.engine.telemetry.trace.TraceLevel;
import io.nereid.engine.telemetry.trace.TraceSettings;
import io.nereid.engine.telemetry.trace.TraceSink;
import io.nereid.engine.telemetry.trace.Tracer;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What do traces cost the requests that are not traced? Two threads count requests, as those of two
 * connections do. What a traced request costs is measured by {@code benchmarks/traces}.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
@Threads(2)
@State(Scope.Benchmark)
public class TraceBenchmark {
  /** So high that no request of the benchmark is traced, and counted like any other rate. */
  private static final long RATE = Long.MAX_VALUE;

  private final Tracer off = tracer(Set.of());
  private final Tracer on = tracer(Set.of(TraceLevel.TIMESTAMPS));

  private static Tracer tracer(Set<TraceLevel> levels) {
    return new Tracer(
        new TraceSettings(levels, RATE, -1, 0, new TraceDestination.Files("trace.json")),
        ClientSettings.SAFE,
        System::nanoTime,
        TraceSink.NONE);
  }

  /** Asks whether a request is traced while traces are off. */
  @Benchmark
  public @Nullable RequestTrace off() {
    return off.sample("m", this, (_, _) -> Optional.empty());
  }

  /** Asks whether a request is traced while some are. */
  @Benchmark
  public @Nullable RequestTrace on() {
    return on.sample("m", this, (_, _) -> Optional.empty());
  }
}
