package io.nereid.benchmarks.micro;

import io.nereid.benchmarks.ExampleModels;
import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.execution.output.DeclaredOutput;
import io.nereid.engine.execution.output.DeclaredOutputs;
import io.nereid.engine.file.FileTree;
import io.nereid.engine.plugin.PluginSettings;
import io.nereid.spi.ModelFiles;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
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
 * What do the check and the clearing of outputs cost? The baselines are a request with four
 * outputs, from its submission to its response, which includes the checks: by ONNX Runtime, and by
 * a backend that only copies its input to each output. {@link #checks} are these checks alone.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class OutputBenchmark {
  private static final int REQUESTS = 64;
  private static final int ELEMENTS = 10;

  /** The model that copies. */
  @State(Scope.Benchmark)
  public static class Copying {
    /** The bytes of an output: ten numbers, an image of 224 x 224. */
    @Param({"40", "602112"})
    public int byteSize;

    /** Whether the model fills its outputs, so that they are not cleared. */
    @Param({"true", "false"})
    public boolean fillsOutputs;

    private @Nullable FourOutputs model;

    @Setup
    public void open() {
      model = new FourOutputs(FourOutputs.copies(fillsOutputs), byteSize / Float.BYTES);
    }

    @TearDown
    public void close() {
      Objects.requireNonNull(model).close();
    }
  }

  /** A model of ONNX Runtime, with one operator for each output. */
  @State(Scope.Benchmark)
  public static class Onnx {
    private @Nullable Path directory;
    private @Nullable BackendCatalog backends;
    private @Nullable FourOutputs model;

    /** Loads the model and opens the instance. */
    @Setup
    public void open() throws IOException {
      directory = Files.createTempDirectory("four_outputs");
      Path version = Files.createDirectory(directory.resolve("1"));
      Files.write(version.resolve("model.onnx"), ExampleModels.file("four_outputs.onnx"));
      backends =
          new BackendCatalog(
              new PluginSettings(directory.resolve("no-such-folder"), Map.of()), List.of());
      model =
          new FourOutputs(
              backends
                  .open("onnxruntime")
                  .load(new ModelFiles(directory, 1), FourOutputs.config(ELEMENTS)),
              ELEMENTS);
    }

    /** Closes the instance and deletes the model. */
    @TearDown
    public void close() throws IOException {
      Objects.requireNonNull(model).close();
      Objects.requireNonNull(backends).close();
      FileTree.delete(Objects.requireNonNull(directory));
    }
  }

  /** The values of four outputs. */
  @State(Scope.Thread)
  public static class Values {
    private final DeclaredOutputs declared =
        new DeclaredOutputs(FourOutputs.config(ELEMENTS), FourOutputs.MODEL, _ -> false, _ -> true);
    private final List<Tensor> outputs =
        IntStream.range(0, FourOutputs.NAMES.size())
            .mapToObj(i ->
                new Tensor(
                    new String(FourOutputs.NAMES.get(i).toCharArray()), // not the same object
                    DataType.FP32,
                    Shape.of(1, ELEMENTS),
                    Arena.ofShared().allocate(ELEMENTS * Float.BYTES)))
            .toList();
  }

  /** Executes requests by the model that copies, one after the other. */
  @Benchmark
  @OperationsPerInvocation(REQUESTS)
  public long copyingBaseline(Copying copying) {
    return Objects.requireNonNull(copying.model).execute(REQUESTS);
  }

  /** Executes requests by ONNX Runtime, one after the other. */
  @Benchmark
  @OperationsPerInvocation(REQUESTS)
  public long onnxBaseline(Onnx onnx) {
    return Objects.requireNonNull(onnx.model).execute(REQUESTS);
  }

  /** Makes all checks of four outputs in memory of a backend. */
  @Benchmark
  public boolean checks(Values values) {
    boolean right = true;
    for (int i = 0; i < values.outputs.size(); i++) {
      Tensor output = values.outputs.get(i);
      DeclaredOutput declared = Objects.requireNonNull(values.declared.output(output.name()));
      right &=
          declared.check(output.dataType(), output.shape(), output.byteSize(), 1) == null
              && declared.checkMemory(output.data()) == null;
    }
    for (int i = 0; i < values.outputs.size(); i++) {
      right &= values.declared.checkContent(values.outputs.get(i)) == null;
    }
    return right;
  }
}
