package io.nereid.benchmarks.micro;

import io.nereid.request.ModelKey;
import io.nereid.server.telemetry.statistics.InstanceStatistics;
import io.nereid.server.telemetry.statistics.ModelStatistics;
import io.nereid.server.telemetry.statistics.StatisticsSnapshot;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does it cost an instance to count a request, and an execution? The baseline counts a request
 * in as many adders, which any thread may write.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
public class StatisticsBenchmark {
  private static final int SIZES = 8;

  /** Numbers of a request: twelve durations and counts. */
  private static final int NUMBERS = 12;

  private final ModelStatistics model = new ModelStatistics(new ModelKey("m", 1), Map.of());
  private final InstanceStatistics instance = model.addInstance();
  private final LongAdder[] adders = new LongAdder[NUMBERS];
  private long nanos = 123_456;

  /** Makes the baseline's adders. */
  public StatisticsBenchmark() {
    for (int i = 0; i < NUMBERS; i++) {
      adders[i] = new LongAdder();
    }
  }

  /** A request that succeeded. */
  @Benchmark
  public void request() {
    nanos++;
    instance.succeeded(2, nanos, nanos, nanos, nanos, nanos);
  }

  /** An execution, of one size in eight. */
  @Benchmark
  public void execution() {
    nanos++;
    instance.executed(1 + nanos % SIZES, nanos, nanos, nanos, nanos);
  }

  /** A request in adders. */
  @Benchmark
  public void requestInAddersBaseline() {
    nanos++;
    for (LongAdder adder : adders) {
      adder.add(nanos);
    }
  }

  /** What a reader pays for a model of one instance. */
  @Benchmark
  public StatisticsSnapshot snapshot() {
    return model.snapshot(0);
  }
}
