package io.nereid.benchmarks.micro.tensorrt;

import io.nereid.benchmarks.micro.Unchecked;
import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.RateLimiterSettings;
import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.file.FileTree;
import io.nereid.engine.plugin.PluginSettings;
import io.nereid.spi.Backend;
import io.nereid.spi.HostAllocator;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.PipelinedInstance;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does an instance of the TensorRT backend allocate for a batch? One request is started and
 * finished, on doubles of CUDA and TensorRT; the batch and its results allocate nothing. The time
 * is mostly that of the doubles: {@link TensorRtInferenceBenchmark} has their baseline. Needs a C
 * compiler named {@code cc}; {@code -prof gc} reports allocations.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
@State(Scope.Thread)
public class TensorRtInstanceBenchmark {
  private static final int ROWS = 8;
  private static final int COLUMNS = 16;
  private static final Shape SHAPE = Shape.of(ROWS, COLUMNS);
  private static final long BYTES = (long) ROWS * COLUMNS * Float.BYTES;

  /** Where the request's inputs lie. */
  @Param({"page-locked", "pageable"})
  String inputs = "page-locked";

  private final Path directory = Unchecked.call(TensorRtInstanceBenchmark::write);
  private final Backend backend = backend();
  private final ModelFiles files = new ModelFiles(directory, 1);
  private final ModelConfig config = backend.complete(files, ModelConfig.of("m", "tensorrt"));
  private final Model model = backend.load(files, config);
  private final HostAllocator pinned = model.inputAllocator().orElseThrow();
  private final List<MemorySegment> pages = List.of(pinned.allocate(BYTES), pinned.allocate(BYTES));
  private final PipelinedInstance instance =
      (PipelinedInstance)
          model.open(
              new InstanceSettings(
                  "m_0",
                  InstanceSettings.Kind.KIND_GPU,
                  0,
                  List.of(),
                  false,
                  RateLimiterSettings.NONE));
  private OneRequest batch = new OneRequest(ROWS, List.of());
  private final CheckedResults results = new CheckedResults();

  /** Fills the inputs. */
  @Setup
  public void fill() {
    List<MemorySegment> data =
        inputs.equals("page-locked")
            ? pages
            : List.of(
                MemorySegment.ofArray(new float[ROWS * COLUMNS]),
                MemorySegment.ofArray(new float[ROWS * COLUMNS]));
    for (int k = 0; k < ROWS * COLUMNS; k++) {
      data.get(0).set(Elements.FLOAT, (long) k * Float.BYTES, k);
      data.get(1).set(Elements.FLOAT, (long) k * Float.BYTES, 1);
    }
    batch =
        new OneRequest(
            ROWS,
            List.of(
                new Tensor("INPUT0", DataType.FP32, SHAPE, data.get(0)),
                new Tensor("INPUT1", DataType.FP32, SHAPE, data.get(1))));
  }

  /** Closes everything but the libraries. */
  @TearDown
  public void close() throws IOException {
    instance.close();
    pages.forEach(pinned::free);
    model.close();
    backend.close();
    FileTree.delete(directory);
  }

  private static Path write() throws IOException {
    Path directory = Files.createTempDirectory("nereid-tensorrt");
    Path version = Files.createDirectory(directory.resolve("1"));
    Files.writeString(version.resolve("model.plan"), TensorRtDoubles.PLAN);
    return directory;
  }

  private static Backend backend() {
    TensorRtDoubles doubles = TensorRtDoubles.get();
    Map<String, String> libraries =
        Map.of(
            "cudart", doubles.cudart().toString(),
            "nvinfer", doubles.nvinfer().toString());
    return new BackendCatalog(PluginSettings.NO_FOLDERS, Map.of("tensorrt", libraries))
        .open("tensorrt");
  }

  /** Starts a batch, and finishes it. */
  @Benchmark
  public float batch() {
    instance.start(batch, results);
    instance.finish();
    if (results.last() != ROWS * COLUMNS) {
      throw new AssertionError("the last sum is " + results.last());
    }
    return results.last();
  }
}
