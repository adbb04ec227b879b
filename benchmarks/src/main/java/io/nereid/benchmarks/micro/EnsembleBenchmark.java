package io.nereid.benchmarks.micro;

import io.nereid.server.model.LoadedModel;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does a step of an ensemble cost, beside a call of its model? Ten times {@code identity_fp32}
 * with 16 floats, one request under way: as an ensemble of ten steps, and as ten calls one after
 * the other. Scores are for one step, or one call; there are no sockets.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class EnsembleBenchmark {
  private static final int STEPS = LoadedModels.STEPS;

  /** The server, without its front ends. */
  @State(Scope.Benchmark)
  public static class Server {
    /** How many models the steps take in turn; each has an instance, which is a thread. */
    @Param({"1", "10"})
    int models;

    private @Nullable LoadedModels loaded;

    /** Loads everything. */
    @Setup
    public void load() throws IOException {
      loaded = new LoadedModels(models);
    }

    LoadedModels loaded() {
      return Objects.requireNonNull(loaded, "not loaded");
    }

    /** Closes everything. */
    @TearDown
    public void close() throws IOException {
      loaded().close();
    }
  }

  /** One request of the ensemble. */
  @Benchmark
  @OperationsPerInvocation(STEPS)
  public long ensemble(Server server) {
    LoadedModels models = server.loaded();
    return models.call(models.ensemble(), "t0", "t" + STEPS);
  }

  /** Ten requests of the models. */
  @Benchmark
  @OperationsPerInvocation(STEPS)
  public long callsBaseline(Server server) {
    LoadedModels models = server.loaded();
    long sum = 0;
    for (LoadedModel step : models.steps()) {
      sum += models.call(step, "INPUT0", "OUTPUT0");
    }
    return sum;
  }
}
