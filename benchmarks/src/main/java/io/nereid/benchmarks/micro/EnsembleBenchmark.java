package io.nereid.benchmarks.micro;

import io.nereid.engine.model.LoadedModel;
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
 * What does a step of an ensemble cost, compared with a call of its model? An ensemble runs {@code
 * identity_fp32} with 16 floats in ten steps; the baseline calls the model ten times in sequence.
 * One request is in flight, without sockets. Scores are per step or call.
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
    /** The number of models that the steps use in turn; each has one instance thread. */
    @Param({"1", "10"})
    int models;

    private @Nullable LoadedModels loaded;

    /** Loads the models. */
    @Setup
    public void load() throws IOException {
      loaded = new LoadedModels(models);
    }

    LoadedModels loaded() {
      return Objects.requireNonNull(loaded, "not loaded");
    }

    /** Closes the models. */
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
