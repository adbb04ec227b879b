package io.nereid.benchmarks.micro.tensorrt;

import io.nereid.benchmarks.ExampleModels;
import io.nereid.benchmarks.micro.Unchecked;
import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.RateLimiterSettings;
import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.plugin.PluginSettings;
import io.nereid.error.InferenceException;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.Parameter;
import io.nereid.request.RequestOptions;
import io.nereid.spi.Backend;
import io.nereid.spi.Batch;
import io.nereid.spi.DetachedRequest;
import io.nereid.spi.HostAllocator;
import io.nereid.spi.Model;
import io.nereid.spi.ModelCalls;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.PipelinedInstance;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
  private OneRequest batch = new OneRequest(List.of());
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
    new ExampleModels(directory).close();
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
    if (results.last != ROWS * COLUMNS) {
      throw new AssertionError("the last sum is " + results.last);
    }
    return results.last;
  }

  /** A batch of one request. */
  private static final class OneRequest implements Batch {
    private final InferenceRequest request;
    private final List<Optional<Tensor>> inputs;

    OneRequest(List<Tensor> inputs) {
      request =
          new InferenceRequest(
              new ModelKey("m", 1), "", inputs, List.of("OUTPUT0", "OUTPUT1"), RequestOptions.NONE);
      this.inputs = inputs.stream().map(Optional::of).toList();
    }

    @Override
    public int size() {
      return 1;
    }

    @Override
    public InferenceRequest request(int index) {
      return request;
    }

    @Override
    public long rows() {
      return ROWS;
    }

    @Override
    public boolean isPadding(int index) {
      return false;
    }

    @Override
    public Optional<Tensor> input(int index, String name) {
      return inputs.get(name.equals("INPUT0") ? 0 : 1);
    }

    @Override
    public Optional<Tensor> gathered(String name) {
      return input(0, name);
    }

    @Override
    public Tensor state(int index, String inputName) {
      throw new IllegalStateException("no state");
    }

    @Override
    public ModelCalls calls(int index) {
      throw new IllegalStateException("no calls");
    }

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public boolean isCancelled(int index) {
      return false;
    }

    @Override
    public Optional<Duration> remaining(int index) {
      return Optional.empty();
    }

    @Override
    public void onCancel(Runnable action) {}
  }

  /** Reads the outputs and releases them. */
  private static final class CheckedResults implements Results {
    private float last;

    @Override
    public boolean isTraced(int index) {
      return false;
    }

    @Override
    public void activity(int index, String name, long nanoTime) {}

    @Override
    public boolean wants(int index, String output) {
      return true;
    }

    @Override
    public boolean wants(String output) {
      return true;
    }

    @Override
    public void giveBatch(Tensor output, Runnable release) {
      if (output.name().equals("OUTPUT0")) {
        last = output.data().get(Elements.FLOAT, BYTES - Float.BYTES);
      }
      release.run();
    }

    @Override
    public MemorySegment allocateBatch(String output, DataType dataType, Shape shape) {
      throw unexpected();
    }

    @Override
    public MemorySegment allocate(
        int index, String output, DataType dataType, Shape shape, long byteSize) {
      throw unexpected();
    }

    @Override
    public void give(int index, Tensor output, Runnable release) {
      throw unexpected();
    }

    @Override
    public void drop(int index, String output) {
      throw unexpected();
    }

    @Override
    public void parameter(int index, String name, Parameter value) {
      throw unexpected();
    }

    @Override
    public MemorySegment allocateState(
        int index, String outputName, DataType dataType, Shape shape, long byteSize) {
      throw unexpected();
    }

    @Override
    public void computeStarted() {}

    @Override
    public void computeEnded() {}

    @Override
    public void computed(long startNanos, long endNanos) {}

    @Override
    public void send(int index) {
      throw unexpected();
    }

    @Override
    public void finish(int index) {
      throw unexpected();
    }

    @Override
    public void reschedule(int index) {
      throw unexpected();
    }

    @Override
    public DetachedRequest detach(int index) {
      throw unexpected();
    }

    @Override
    public void fail(int index, InferenceException failure) {
      throw failure;
    }

    private static IllegalStateException unexpected() {
      return new IllegalStateException("no call of this kind is expected");
    }
  }
}
