package io.nereid.engine.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.BatchingSettings;
import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.execution.batch.ExecutedModels;
import io.nereid.engine.execution.batch.Tensors;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.MemorySettings;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.ModelRegistry;
import io.nereid.engine.model.ModelRuntime;
import io.nereid.engine.model.Readiness;
import io.nereid.engine.model.config.ModelConfiguration;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.RecordedOutcome;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.request.ResponseReceiver;
import io.nereid.engine.scheduling.Clock;
import io.nereid.engine.scheduling.DecisionJournal;
import io.nereid.engine.scheduling.Scheduler;
import io.nereid.engine.scheduling.SchedulerLoop;
import io.nereid.engine.scheduling.SystemClock;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.SchedulingPolicy;
import io.nereid.engine.telemetry.statistics.ModelStatistics;
import io.nereid.engine.telemetry.statistics.TestStatistics;
import io.nereid.engine.testing.Faults;
import io.nereid.error.InferenceException;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.spi.Batch;
import io.nereid.spi.BatchingStrategy;
import io.nereid.spi.Model;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Requests of which each call of a seam fails in turn for lack of memory or stack: each request has
 * an outcome, nothing is left leased or counted, and the next request is answered.
 */
@Timeout(120)
class ThrowingSeamsTest {
  private static final ModelKey KEY = new ModelKey("m", 1);
  private static final int REQUESTS = 3;
  private static final ModelConfig CONFIG =
      ModelConfig.of("m", "b")
          .withSignature(
              4,
              List.of(TensorConfig.of("IN", DataType.INT32, Shape.of(-1))),
              List.of(TensorConfig.of("OUT", DataType.INT32, Shape.of(-1))))
          .withScheduling(BatchingSettings.of(List.of(), 5_000));

  private final Faults faults = new Faults();
  private final CheckedBufferPool memory = new CheckedBufferPool();
  private final BufferPool pool = faults.at("pool", BufferPool.class, memory, Set.of("lease"));
  private final RequestAdmission admission =
      new RequestAdmission(
          new ModelRegistry(),
          SystemClock.start(),
          () -> true,
          Readiness.SERVING,
          MemorySettings.DEFAULT_MAX_STRINGS);

  private final class FailingModel implements Model {
    private final boolean hasStrategy;

    FailingModel(boolean hasStrategy) {
      this.hasStrategy = hasStrategy;
    }

    @Override
    public ModelInstance open(InstanceSettings settings) {
      return new ModelInstance() {
        @Override
        public void execute(Batch batch, Results results) {
          faults.call("backend");
          List<Integer> values = Tensors.values(batch.gathered("IN").orElseThrow());
          for (int i = 0; i < batch.size(); i++) {
            Tensors.fill(
                results.allocate(i, "OUT", DataType.INT32, Shape.of(1, 1), 4), values.get(i) + 1);
          }
        }

        @Override
        public void close() {}
      };
    }

    @Override
    public Optional<BatchingStrategy> batchingStrategy() {
      BatchingStrategy all = FakeStrategy.ALL;
      return hasStrategy
          ? Optional.of(
              faults.at("strategy", BatchingStrategy.class, all, Set.of("begin", "includes")))
          : Optional.empty();
    }

    @Override
    public void close() {}
  }

  private enum FakeStrategy implements BatchingStrategy {
    ALL;

    @Override
    public void begin(InferenceRequest first) {}

    @Override
    public boolean includes(InferenceRequest next) {
      return true;
    }
  }

  static Stream<Arguments> seams() {
    List<Supplier<Error>> errors = List.of(OutOfMemoryError::new, StackOverflowError::new);
    return Stream.of("pool", "release", "key", "strategy", "backend", "promise", "queue", "clock")
        .flatMap(seam -> errors.stream().map(error -> Arguments.of(seam, error.get())));
  }

  @ParameterizedTest
  @MethodSource("seams")
  void eachRequestEndsAndNothingIsLeft(String seam, Error error) throws Exception {
    try (SystemClock time = SystemClock.start()) {
      Clock clock = faults.at("clock", Clock.class, time, Set.of("nanos"));
      var statistics = TestStatistics.of(KEY);
      Model model = new FailingModel(seam.equals("strategy"));
      InstanceGroup group =
          InstanceGroup.open(
              GroupSettings.of(ExecutedModels.of(CONFIG, model, pool, clock::nanos, statistics)),
              List.of(FakeModel.instance("m_0")));
      DecisionJournal journal =
          (key, config, instances, limits, rule) ->
              faults.at(
                  "queue",
                  SchedulingPolicy.class,
                  DecisionJournal.NONE.policy(key, config, instances, limits, rule),
                  Set.of("arrived", "decide"));
      try (var scheduler = SchedulerLoop.start(group, clock, QueueLimits.of(16), journal)) {
        var loaded = loaded(scheduler, statistics);
        int n = 1;
        while (isReached(seam, n, error, loaded)) {
          n++;
        }
        assertThat(n).as("calls of the seam").isGreaterThan(1);
      } finally {
        group.close();
      }
    }
    assertThat(memory.outstanding()).isZero();
  }

  /** Makes requests of which the n-th call of the seam fails; returns whether there was one. */
  private boolean isReached(String seam, int n, Error error, LoadedModel model) throws Exception {
    faults.arm(seam, n, () -> error);
    List<RecordedOutcome> outcomes = new ArrayList<>();
    for (int i = 0; i < REQUESTS; i++) {
      outcomes.add(submit(model, i));
    }
    outcomes.forEach(RecordedOutcome::awaitAndClose);
    boolean reached = faults.disarm();
    assertThat(outcomes).allMatch(outcome -> outcome.calls() == 1);
    awaitNothingLeft(model, "%s %d".formatted(seam, n));

    try (InferenceResponse response = submit(model, 41).response()) {
      assertThat(Tensors.values(response.output("OUT").orElseThrow())).containsExactly(42);
    }
    awaitNothingLeft(model, "the request behind %s %d".formatted(seam, n));
    return reached;
  }

  private void awaitNothingLeft(LoadedModel model, String what) throws InterruptedException {
    for (int i = 0; i < 2_000 && (model.requests() > 0 || memory.outstanding() > 0); i++) {
      Thread.sleep(1); // what has its response may still be counted
    }
    assertThat(model.requests()).as(what).isZero();
    assertThat(memory.outstanding()).as(what).isZero();
  }

  private RecordedOutcome submit(LoadedModel model, int value) {
    var outcome = new RecordedOutcome();
    Lease lease = memory.lease(4);
    Tensors.fill(lease.segment(), value);
    var input = new Tensor("IN", DataType.INT32, Shape.of(1, 1), lease.segment());
    var decoded =
        new DecodedRequest(
            "r",
            List.of(input),
            List.of(),
            RequestOptions.NONE,
            true,
            List.of(new FailingLease(lease), new FailingLease(memory.lease(1))));
    var promise = new ResponsePromise(new FailingReceiver(outcome));
    admission.submit(model, OptionalLong.empty(), decoded, promise, RequestAdmission.NO_LIMIT);
    return outcome;
  }

  /** Fails behind its release. */
  private final class FailingLease implements Lease {
    private final Lease lease;

    FailingLease(Lease lease) {
      this.lease = lease;
    }

    @Override
    public MemorySegment segment() {
      return lease.segment();
    }

    @Override
    public void close() {
      lease.close();
      faults.call("release");
    }
  }

  /** Fails behind the end of the request, and before all else. */
  private final class FailingReceiver implements ResponseReceiver {
    private final RecordedOutcome outcome;

    FailingReceiver(RecordedOutcome outcome) {
      this.outcome = outcome;
    }

    @Override
    public boolean isAwaitedHere() {
      faults.call("promise");
      return false;
    }

    @Override
    public void computed(long queueNanos, long inputNanos, long inferNanos, long outputNanos) {
      faults.call("promise");
    }

    @Override
    public void answer(InferenceResponse response) {
      outcome.answer(response);
      faults.call("promise");
    }

    @Override
    public void fail(InferenceException failure) {
      outcome.fail(failure);
      faults.call("promise");
    }
  }

  private LoadedModel loaded(Scheduler scheduler, ModelStatistics statistics) {
    var runtime =
        (ModelRuntime)
            Proxy.newProxyInstance(
                ModelRuntime.class.getClassLoader(),
                new Class<?>[] {ModelRuntime.class},
                (_, method, _) ->
                    switch (method.getName()) {
                      case "scheduler" ->
                          faults.at("key", Scheduler.class, scheduler, Set.of("submit"));
                      case "failure" -> null;
                      default -> throw new IllegalStateException(method.getName());
                    });
    return new LoadedModel(
        KEY,
        new ModelConfiguration(
            io.nereid.protocol.config.ModelConfig.getDefaultInstance(), CONFIG, List.of(), false),
        Map.of(),
        runtime,
        statistics,
        null,
        admission::admit);
  }
}
