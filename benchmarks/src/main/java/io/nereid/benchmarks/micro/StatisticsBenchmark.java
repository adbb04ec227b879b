package io.nereid.benchmarks.micro;

import io.nereid.engine.telemetry.statistics.InstanceStatistics;
import io.nereid.engine.telemetry.statistics.ModelStatistics;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.engine.telemetry.statistics.latency.LatencyRecording;
import io.nereid.request.ModelKey;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
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
 * What does it cost an instance to record the statistics of a request and of an execution? The
 * baseline uses the same number of {@link LongAdder}s, which any thread may write.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
public class StatisticsBenchmark {
  private static final int SIZES = 8;

  /** The number of durations and counts of a request. */
  private static final int NUMBERS = 12;

  private final ModelStatistics model =
      new ModelStatistics("", new ModelKey("m", 1), Map.of(), false, LatencyRecording.NONE);
  private final InstanceStatistics instance = model.addInstance();
  private final LongAdder[] adders =
      Stream.generate(LongAdder::new).limit(NUMBERS).toArray(LongAdder[]::new);
  private long nanos = 123_456;

  /** Records a successful request. */
  @Benchmark
  public void request() {
    nanos++;
    instance.succeeded(2, nanos, nanos, nanos, nanos, nanos);
  }

  /** Records an execution with one of eight batch sizes. */
  @Benchmark
  public void execution() {
    nanos++;
    instance.executed(1 + nanos % SIZES, nanos, nanos, nanos, nanos);
  }

  /** Records a request in the adders. */
  @Benchmark
  public void requestInAddersBaseline() {
    nanos++;
    for (LongAdder adder : adders) {
      adder.add(nanos);
    }
  }

  /** Reads the statistics of a model with one instance. */
  @Benchmark
  public StatisticsSnapshot snapshot() {
    return model.snapshot(0, List.of());
  }
}
