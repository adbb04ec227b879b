package io.nereid.benchmarks.micro;

import io.nereid.benchmarks.ExampleModels;
import io.nereid.engine.Engine;
import io.nereid.engine.ModelRequest;
import io.nereid.engine.ModelResponse;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
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
  private static final int STEPS = 10;
  private static final int COUNT = 16;

  /** The models and their engine. */
  @State(Scope.Benchmark)
  public static class Server {
    /** The number of models that the steps use in turn; each has one instance thread. */
    @Param({"1", "10"})
    int models;

    private final ExampleModels repository = ExampleModels.create("nereid-ensemble");
    private final List<ModelRequest> steps = new ArrayList<>();
    private final ModelRequest ensemble = request("ensemble", "t0");
    private @Nullable Engine engine;

    @Setup
    public void load() throws IOException {
      var config = new StringBuilder(begin());
      for (int i = 0; i < STEPS; i++) {
        String model = "identity" + i % models;
        if (i < models) {
          repository.add("identity_fp32", model, "");
        }
        steps.add(request(model, "INPUT0"));
        config.append(step(model, i));
      }
      Files.createDirectories(repository.repository().resolve("ensemble/1"));
      Files.writeString(
          repository.repository().resolve("ensemble/config.pbtxt"), config.append("}\n"));
      engine = Engine.builder().repository(repository.repository()).open();
    }

    private static String begin() {
      return """
      platform: "ensemble"
      input { name: "t0" data_type: TYPE_FP32 dims: -1 }
      output { name: "t%d" data_type: TYPE_FP32 dims: -1 }
      ensemble_scheduling {
      """
          .formatted(STEPS);
    }

    private static String step(String model, int i) {
      return """
      step {
        model_name: "%s"
        model_version: -1
        input_map { key: "INPUT0" value: "t%d" }
        output_map { key: "OUTPUT0" value: "t%d" }
      }
      """
          .formatted(model, i, i + 1);
    }

    private static ModelRequest request(String model, String input) {
      return ModelRequest.to(model).input(input, Shape.of(COUNT), new float[COUNT]).build();
    }

    private long call(ModelRequest request) {
      try (ModelResponse response = Objects.requireNonNull(engine).infer(request)) {
        return response.outputs().getFirst().byteSize();
      }
    }

    /** Closes the engine and deletes the models. */
    @TearDown
    public void close() throws IOException {
      Objects.requireNonNull(engine).close();
      repository.close();
    }
  }

  /** One request of the ensemble. */
  @Benchmark
  @OperationsPerInvocation(STEPS)
  public long ensemble(Server server) {
    return server.call(server.ensemble);
  }

  /** Ten requests of the models. */
  @Benchmark
  @OperationsPerInvocation(STEPS)
  public long callsBaseline(Server server) {
    long sum = 0;
    for (ModelRequest step : server.steps) {
      sum += server.call(step);
    }
    return sum;
  }
}
