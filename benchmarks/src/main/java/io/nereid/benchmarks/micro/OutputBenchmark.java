package io.nereid.benchmarks.micro;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.server.execution.InstanceGroup;
import io.nereid.server.execution.output.DeclaredOutput;
import io.nereid.server.execution.output.DeclaredOutputs;
import io.nereid.server.memory.ArenaAllocator;
import io.nereid.server.memory.SlabPool;
import io.nereid.server.request.InferenceResponse;
import io.nereid.server.request.PendingRequest;
import io.nereid.server.request.ResponsePromise;
import io.nereid.server.request.ResponseReceiver;
import io.nereid.server.scheduling.DecisionJournal;
import io.nereid.server.scheduling.Scheduler;
import io.nereid.server.scheduling.SchedulerLoop;
import io.nereid.server.scheduling.SystemClock;
import io.nereid.server.scheduling.policy.QueueLimits;
import io.nereid.server.telemetry.statistics.ModelStatistics;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
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
 * What do the check and the clearing of outputs cost? The baseline is a request with four outputs,
 * from its submission to its response, whose backend copies its input to each of them; it includes
 * the checks. {@link #checks} are these checks alone.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class OutputBenchmark {
  private static final int REQUESTS = 64;
  private static final int CAPACITY = 128;
  private static final ModelKey MODEL = new ModelKey("copies", 1);
  private static final List<String> OUTPUTS = List.of("OUTPUT0", "OUTPUT1", "OUTPUT2", "OUTPUT3");

  private static ModelConfig config(int elements) {
    return ModelConfig.of("copies", "copies")
        .withSignature(
            8,
            List.of(TensorConfig.of("INPUT", DataType.FP32, Shape.of(elements))),
            OUTPUTS.stream()
                .map(name -> TensorConfig.of(name, DataType.FP32, Shape.of(elements)))
                .toList());
  }

  private record CopyingModel(boolean fillsOutputs) implements Model {
    @Override
    public ModelInstance open(InstanceSettings settings) {
      return new ModelInstance() {
        @Override
        public void execute(Batch batch, Results results) {
          Tensor input = batch.gathered("INPUT").orElseThrow();
          for (int i = 0; i < OUTPUTS.size(); i++) {
            results
                .allocateBatch(OUTPUTS.get(i), DataType.FP32, input.shape())
                .copyFrom(input.data());
          }
        }

        @Override
        public void close() {}
      };
    }

    @Override
    public void close() {}
  }

  /** A counter of responses. The instance's thread is the only writer. */
  private static final class ResponseCounter implements ResponseReceiver {
    private final AtomicLong count = new AtomicLong();

    @Override
    public void answer(InferenceResponse response) {
      response.close();
      count.setRelease(count.getPlain() + 1);
    }

    @Override
    public void next(InferenceResponse response) {
      throw new AssertionError("the model is not decoupled");
    }

    @Override
    public void complete() {
      throw new AssertionError("the model is not decoupled");
    }

    @Override
    public void fail(InferenceException failure) {
      throw new AssertionError(failure);
    }
  }

  /** A model with one instance. */
  @State(Scope.Benchmark)
  public static class Server {
    /** The bytes of an output: ten numbers, an image of 224 x 224. */
    @Param({"40", "602112"})
    public int byteSize;

    /** Whether the model fills its outputs, so that they are not cleared. */
    @Param({"true", "false"})
    public boolean fillsOutputs;

    private final SlabPool pool = new SlabPool(new ArenaAllocator(), 1L << 30);
    private final SystemClock clock = SystemClock.start();
    private final ResponseCounter responses = new ResponseCounter();
    private @Nullable InstanceGroup instances;
    private @Nullable Scheduler scheduler;
    private @Nullable InferenceRequest request;
    private long submitted;

    private PendingRequest request() {
      return new PendingRequest(
          Objects.requireNonNull(request),
          1,
          List.of(),
          () -> {},
          new ResponsePromise(responses),
          clock.nanos(),
          Long.MAX_VALUE);
    }

    /** Opens the instance. */
    @Setup
    public void open() {
      int elements = byteSize / Float.BYTES;
      MemorySegment data = Arena.ofAuto().allocate(byteSize);
      var input = new Tensor("INPUT", DataType.FP32, Shape.of(1, elements), data);
      request = new InferenceRequest(MODEL, "", List.of(input), OUTPUTS, RequestOptions.NONE);
      ModelConfig config = config(elements);
      var model = new CopyingModel(fillsOutputs);
      var settings =
          new InstanceSettings("copies_0", InstanceSettings.Kind.KIND_CPU, 0, List.of(), false);
      instances =
          InstanceGroup.open(
              InstanceGroup.Settings.of(
                  config, model, pool, clock::nanos, new ModelStatistics(MODEL, Map.of())),
              List.of(settings));
      scheduler =
          SchedulerLoop.start(
              MODEL,
              config,
              model,
              instances,
              clock,
              QueueLimits.of(CAPACITY),
              DecisionJournal.NONE);
    }

    /** Closes the instance. */
    @TearDown
    public void close() {
      Objects.requireNonNull(scheduler).close();
      Objects.requireNonNull(instances).close();
      clock.close();
      pool.close();
    }
  }

  /** The values of four outputs. */
  @State(Scope.Thread)
  public static class Values {
    private final DeclaredOutputs declared = new DeclaredOutputs(config(10), MODEL);
    private final List<Tensor> outputs =
        IntStream.range(0, OUTPUTS.size())
            .mapToObj(i ->
                new Tensor(
                    new String(OUTPUTS.get(i).toCharArray()), // not the object of the declaration
                    DataType.FP32,
                    Shape.of(1, 10),
                    Arena.ofShared().allocate(40)))
            .toList();
  }

  /** Executes requests one after the other. */
  @Benchmark
  @OperationsPerInvocation(REQUESTS)
  public long executionBaseline(Server server) {
    for (int i = 0; i < REQUESTS; i++) {
      Objects.requireNonNull(server.scheduler).submit(server.request());
      server.submitted++;
    }
    while (server.responses.count.get() < server.submitted) {
      Thread.onSpinWait();
    }
    return server.submitted;
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
