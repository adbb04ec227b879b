package io.nereid.benchmarks.micro;

import io.nereid.benchmarks.micro.HandOffs.BatcherThread;
import io.nereid.benchmarks.micro.HandOffs.HandOff;
import io.nereid.benchmarks.micro.HandOffs.InstanceLeads;
import io.nereid.benchmarks.micro.HandOffs.Waiting;
import io.nereid.benchmarks.micro.HandOffs.WhoeverBrings;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Who should decide on batches: whoever brings an event, a thread of its own, or the idle instance?
 * Time from a request's submission until its sender knows the answer, with a model that does
 * nothing, for one sender and for sixteen.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class HandOffBenchmark {
  /** One of the ways. */
  @State(Scope.Benchmark)
  public static class Way {
    /** Who decides. */
    @Param({"whoever brings", "batcher thread", "instance leads"})
    public String decides = "";

    private @Nullable HandOff handOff;

    /** Starts its threads. */
    @Setup(Level.Iteration)
    public void start() {
      handOff =
          switch (decides) {
            case "whoever brings" -> new WhoeverBrings();
            case "batcher thread" -> new BatcherThread();
            case "instance leads" -> new InstanceLeads();
            default -> throw new IllegalArgumentException(decides);
          };
    }

    /** Ends its threads. */
    @TearDown(Level.Iteration)
    public void stop() throws InterruptedException {
      Objects.requireNonNull(handOff).stop();
    }

    private void run() {
      var request = new Waiting();
      Objects.requireNonNull(handOff).submit(request);
      request.await();
    }
  }

  /** One request at a time. */
  @Benchmark
  @Threads(1)
  public void oneSender(Way way) {
    way.run();
  }

  /** Sixteen at a time. */
  @Benchmark
  @Threads(16)
  public void sixteenSenders(Way way) {
    way.run();
  }
}
