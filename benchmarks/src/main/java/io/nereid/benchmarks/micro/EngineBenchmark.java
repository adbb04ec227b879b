package io.nereid.benchmarks.micro;

import io.nereid.benchmarks.ExampleModels;
import io.nereid.engine.Engine;
import io.nereid.engine.ModelRequest;
import io.nereid.engine.ModelResponse;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does an engine cost a program, beside the call of ONNX Runtime? The model is {@code simple};
 * its instance is idle, so the thread that asks executes it. With {@code -t 4}, four threads ask
 * the engine at once. The C2 compiler is busy for the first ten seconds.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 12, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class EngineBenchmark {
  private static final int COUNT = 16;

  /** An engine and a request whose inputs are in native memory. */
  @State(Scope.Benchmark)
  public static class Serving {
    private final ExampleModels models = ExampleModels.create("nereid-engine").add("simple");
    private final Arena arena = Arena.ofShared();
    private final Engine engine =
        Unchecked.call(() -> Engine.builder().repository(models.repository()).open());
    private final ModelRequest request =
        ModelRequest.to("simple")
            .input("INPUT0", DataType.INT32, Shape.of(1, COUNT), OrtCallBenchmark.Ffm.ramp(arena))
            .input("INPUT1", DataType.INT32, Shape.of(1, COUNT), OrtCallBenchmark.Ffm.ramp(arena))
            .build();

    /** Closes the engine and deletes the model. */
    @TearDown
    public void close() throws IOException {
      engine.close();
      arena.close();
      models.close();
    }
  }

  /** A request from the call to the outputs. */
  @Benchmark
  public int infer(Serving state) {
    try (ModelResponse response = state.engine.infer(state.request)) {
      return response.output("OUTPUT0").data().getAtIndex(Elements.INT, COUNT - 1);
    }
  }

  /** The call of ONNX Runtime that the backend makes for it. */
  @Benchmark
  public int callBaseline(OrtCallBenchmark.Ffm state) {
    return new OrtCallBenchmark().ffm(state);
  }
}
