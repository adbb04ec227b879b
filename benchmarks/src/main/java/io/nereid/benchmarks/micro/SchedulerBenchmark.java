package io.nereid.benchmarks.micro;

import io.nereid.config.BatchingSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.PendingRequest;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.spi.Batch;
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
import java.util.function.BiConsumer;
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
import org.openjdk.jmh.infra.Blackhole;

/**
 * How many requests per second can one scheduler process, from submission to response, with a
 * backend that computes nothing? The baseline creates the same request and responds at once;
 * allocations ({@code -prof gc}) above the baseline are those of the scheduler and the instance.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class SchedulerBenchmark {
  /** The number of requests per call of the benchmark. */
  private static final int REQUESTS = 1_024;

  /** The maximum number of requests in flight. */
  private static final int WINDOW = 256;

  private static final ModelKey MODEL = new ModelKey("idle", 1);
  private static final TensorConfig IMAGE = TensorConfig.of("IMAGE", DataType.FP32, Shape.of(784));
  private static final TensorConfig SCORES = TensorConfig.of("SCORES", DataType.FP32, Shape.of(10));
  private static final Shape ONE_IMAGE = IMAGE.dims().withLeading(1);
  private static final Shape ONE_SCORE = SCORES.dims().withLeading(1);

  /** Gives one output of unspecified values. */
  private static void score(Batch batch, Results results) {
    long rows = batch.gathered(IMAGE.name()).orElseThrow().shape().dim(0);
    Shape shape = rows == 1 ? ONE_SCORE : ONE_SCORE.withFirst(rows);
    results.allocateBatch(SCORES.name(), SCORES.dataType(), shape);
  }

  /** A scheduler with one instance. */
  @State(Scope.Benchmark)
  public static class Server {
    /** How requests are batched. */
    @Param({"one by one", "up to 16"})
    public String batching = "";

    /** The inputs and outputs of a request. */
    @Param({"no tensors", "one row"})
    public String tensors = "";

    private final MemorySegment image = Arena.ofAuto().allocate(784 * 4);
    private @Nullable ScheduledModel model;
    private @Nullable InferenceRequest request;

    private ScheduledModel model() {
      return Objects.requireNonNull(model);
    }

    private InferenceRequest request() {
      return Objects.requireNonNull(request);
    }

    private boolean scoring() {
      return tensors.equals("one row");
    }

    /** The model's response, without memory of its own. */
    private InferenceResponse response() {
      if (!scoring()) {
        return new InferenceResponse(MODEL, "", Map.of(), List.of(), List.of());
      }
      MemorySegment data = image.asSlice(0, 40);
      var scores = new Tensor(SCORES.name(), SCORES.dataType(), ONE_SCORE, data);
      return new InferenceResponse(MODEL, "", Map.of(), List.of(scores), List.of(() -> {}));
    }

    @Setup
    public void open() {
      var input = new Tensor(IMAGE.name(), IMAGE.dataType(), ONE_IMAGE, image);
      request =
          new InferenceRequest(
              MODEL,
              "",
              scoring() ? List.of(input) : List.of(),
              scoring() ? List.of(SCORES.name()) : List.of(),
              RequestOptions.NONE);
      boolean batches = batching.equals("up to 16");
      ModelConfig config =
          ModelConfig.of("idle", "idle")
              .withSignature(
                  batches ? 64 : 0,
                  scoring() ? List.of(rows(IMAGE, batches)) : List.of(),
                  scoring() ? List.of(rows(SCORES, batches)) : List.of());
      if (batches) {
        config = config.withScheduling(BatchingSettings.of(List.of(8, 16), 100));
      }
      BiConsumer<Batch, Results> function = scoring() ? SchedulerBenchmark::score : (_, _) -> {};
      model = new ScheduledModel(MODEL, config, new FunctionModel(false, function));
    }

    /** A model that does not batch has the dimension of the one row among its own. */
    private static TensorConfig rows(TensorConfig tensor, boolean batches) {
      return batches
          ? tensor
          : TensorConfig.of(tensor.name(), tensor.dataType(), tensor.dims().withLeading(1));
    }

    @TearDown
    public void close() {
      model().close();
    }
  }

  /** Submits requests up to the maximum in flight, and waits for the last response. */
  @Benchmark
  @OperationsPerInvocation(REQUESTS)
  public long scheduled(Server server) {
    return server.model().execute(server.request(), REQUESTS, WINDOW);
  }

  /** Creates requests and responds to them in the same thread. */
  @Benchmark
  @OperationsPerInvocation(REQUESTS)
  public void requestAloneBaseline(Server server, Blackhole kept) {
    for (int i = 0; i < REQUESTS; i++) {
      PendingRequest request = server.model().pending(server.request());
      InferenceResponse response = server.response();
      kept.consume(request); // prevents the elimination of its allocation
      kept.consume(response.outputs());
      kept.consume(response.releases());
      request.close();
      request.promise().answer(response);
    }
  }
}
