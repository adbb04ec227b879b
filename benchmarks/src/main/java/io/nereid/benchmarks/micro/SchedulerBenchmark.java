package io.nereid.benchmarks.micro;

import io.nereid.config.BatchingSettings;
import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.exchange.InferenceResponse;
import io.nereid.exchange.PendingRequest;
import io.nereid.exchange.ResponsePromise;
import io.nereid.exchange.ResponseReceiver;
import io.nereid.instance.InstanceGroup;
import io.nereid.memory.ArenaAllocator;
import io.nereid.memory.SlabPool;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.scheduler.DecisionJournal;
import io.nereid.scheduler.Scheduler;
import io.nereid.scheduler.Schedulers;
import io.nereid.scheduler.SystemClock;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import io.nereid.statistics.ModelStatistics;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
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
 * How many requests a second get through one scheduler, from submission to answer, with a backend
 * that does nothing? The baseline makes the same request and answers it on the spot: what is
 * allocated beyond it ({@code -prof gc}) is the scheduler's.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class SchedulerBenchmark {
  /** Requests in one call of the benchmark. */
  private static final int REQUESTS = 1_024;

  /** Requests under way at a time. */
  private static final int WINDOW = 256;

  private static final int CAPACITY = 4_096;
  private static final ModelKey MODEL = new ModelKey("idle", 1);
  private static final InferenceRequest REQUEST =
      new InferenceRequest(MODEL, "", List.of(), List.of(), RequestOptions.NONE);

  /** Counts answers; written by the instance's thread alone. */
  private static final class Answers implements ResponseReceiver {
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

  /** Answers without outputs. */
  private static final class IdleModel implements Model {
    @Override
    public ModelInstance open(InstanceSettings settings) {
      return new ModelInstance() {
        @Override
        public void execute(Batch batch, Results results) {}

        @Override
        public void close() {}
      };
    }

    @Override
    public void close() {}
  }

  /** A scheduler, and the instance behind it. */
  @State(Scope.Benchmark)
  public static class Server {
    /** How requests are batched. */
    @Param({"one by one", "up to 16"})
    public String batching = "";

    private final SlabPool pool = new SlabPool(new ArenaAllocator(), 1 << 24);
    private final SystemClock clock = SystemClock.start();
    private final Answers answers = new Answers();
    private @Nullable InstanceGroup instances;
    private @Nullable Scheduler scheduler;
    private long submitted;

    private Scheduler scheduler() {
      return Objects.requireNonNull(scheduler);
    }

    /** Opens the instance. */
    @Setup
    public void open() {
      ModelConfig config = ModelConfig.of("idle", "idle");
      if (batching.equals("up to 16")) {
        config =
            config
                .withSignature(64, List.of(), List.of())
                .withScheduling(BatchingSettings.of(List.of(8, 16), 100));
      }
      var model = new IdleModel();
      var settings =
          new InstanceSettings("idle_0", InstanceSettings.Kind.KIND_CPU, 0, List.of(), false);
      instances =
          InstanceGroup.open(
              config,
              model,
              List.of(settings),
              pool,
              clock::nanos,
              new ModelStatistics(MODEL, Map.of()),
              Map.of());
      scheduler =
          Schedulers.start(MODEL, config, model, instances, clock, CAPACITY, DecisionJournal.NONE);
    }

    /** Closes the instance. */
    @TearDown
    public void close() {
      scheduler().close();
      Objects.requireNonNull(instances).close();
      clock.close();
      pool.close();
    }
  }

  private static PendingRequest request(ResponseReceiver receiver, long nanos) {
    return new PendingRequest(
        REQUEST, 1, List.of(), () -> {}, new ResponsePromise(receiver), nanos, Long.MAX_VALUE);
  }

  /** Submits requests, a window of them at a time, and waits for the last answer. */
  @Benchmark
  @OperationsPerInvocation(REQUESTS)
  public long scheduled(Server server) {
    for (int i = 0; i < REQUESTS; i++) {
      while (server.submitted - server.answers.count.get() >= WINDOW) {
        Thread.onSpinWait();
      }
      server.scheduler().submit(request(server.answers, server.clock.nanos()));
      server.submitted++;
    }
    while (server.answers.count.get() < server.submitted) {
      Thread.onSpinWait();
    }
    return server.submitted;
  }

  /** The request itself, answered by whoever made it. */
  @Benchmark
  @OperationsPerInvocation(REQUESTS)
  public long requestAloneBaseline(Server server, Blackhole kept) {
    for (int i = 0; i < REQUESTS; i++) {
      PendingRequest request = request(server.answers, server.clock.nanos());
      kept.consume(request); // or it would not be allocated at all
      request.close();
      request.promise().answer(new InferenceResponse(MODEL, "", Map.of(), List.of(), List.of()));
      server.submitted++;
    }
    return server.submitted;
  }
}
