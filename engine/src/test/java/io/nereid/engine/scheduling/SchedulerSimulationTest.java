package io.nereid.engine.scheduling;

import static io.nereid.engine.scheduling.EchoWork.RESOURCE_LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.BatchingSettings;
import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.QueuePolicy;
import io.nereid.config.QueuePolicy.TimeoutAction;
import io.nereid.config.RateLimiterSettings;
import io.nereid.config.SchedulingSettings;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.config.TensorConfig;
import io.nereid.engine.execution.FakeModel;
import io.nereid.engine.execution.GroupSettings;
import io.nereid.engine.execution.InstanceGroup;
import io.nereid.engine.execution.PipelinedModel;
import io.nereid.engine.execution.batch.ExecutedModels;
import io.nereid.engine.execution.ratelimit.ExecutionCountLimiter;
import io.nereid.engine.execution.ratelimit.RateLimiter;
import io.nereid.engine.execution.ratelimit.RateLimiter.ResourceLimit;
import io.nereid.engine.execution.warmup.Warmup;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.telemetry.statistics.TestStatistics;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import io.nereid.spi.Model;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random events for schedulers with their ring, threads and memory, with and without a rate
 * limiter, with and without batches in flight. Each request gets its own rows or one failure,
 * resources stay within their limits, and all memory is released. {@code -Dnereid.runs=1000} sets
 * the number of runs.
 */
@Timeout(600)
class SchedulerSimulationTest {
  private static final int RUNS = Integer.getInteger("nereid.runs", 20);
  private static final ModelKey MODEL = new ModelKey("m", 1);
  private static final int CAPACITY = 32;
  private static final int EVENTS = 150;
  private static final long MAX_WAIT_NANOS = 30_000_000_000L;

  static LongStream seeds() {
    return LongStream.range(0, RUNS);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void eachRequestGetsItsOwnRowsOrOneFailure(long seed) {
    new Run(new SplittableRandom(seed), seed % 3 == 0).run();
  }

  private static final class Run {
    private final SplittableRandom random;
    private final CheckedBufferPool pool = new CheckedBufferPool();
    private final FakeClock clock = new FakeClock();
    private final EchoWork work = new EchoWork();
    private final Model model;
    private final List<SimulatedRequest> requests = new ArrayList<>();
    private final ModelConfig config;
    private final int maxRows;

    /** The number of responses. */
    private final AtomicInteger answers = new AtomicInteger();

    /** Completed when the scheduler is stopped and no sequence is open. */
    private CompletableFuture<?> sequencesOver = CompletableFuture.completedFuture(null);

    Run(SplittableRandom random, boolean pipelined) {
      this.random = random;
      this.model =
          pipelined
              ? new PipelinedModel(3, work, () -> work.gate.availablePermits() > 0)
              : FakeModel.executing(work);
      SchedulingSettings scheduling = scheduling();
      this.maxRows = scheduling instanceof SequenceSettings ? 1 : 3;
      this.config =
          ModelConfig.of("m", "b")
              .withSignature(
                  4,
                  List.of(TensorConfig.of("IN", DataType.INT32, Shape.of(-1))),
                  List.of(TensorConfig.of("OUT", DataType.INT32, Shape.of(-1))))
              .withScheduling(scheduling);
    }

    private SchedulingSettings scheduling() {
      long delay = random.nextInt(3) * 100L;
      var timeout = new QueuePolicy(TimeoutAction.REJECT, 300, true, random.nextInt(8));
      return switch (random.nextInt(6)) {
        case 0 -> new SchedulingSettings.Direct();
        case 1 -> BatchingSettings.of(List.of(2, 4), delay);
        case 2 ->
            new BatchingSettings(
                List.of(4),
                delay,
                random.nextBoolean(),
                2,
                1,
                timeout,
                Map.of(2L, QueuePolicy.NONE));
        case 3 ->
            new SequenceSettings(500, List.of(), new Strategy.Direct(delay, 0.5), List.of(), true);
        case 4 ->
            new SequenceSettings(500, List.of(), new Strategy.Direct(delay, 0.5), List.of(), false);
        default ->
            new SequenceSettings(
                500, List.of(), new Strategy.Oldest(3, List.of(2), delay, false), List.of(), false);
      };
    }

    void run() {
      boolean limited = random.nextBoolean();
      List<InstanceSettings> settings =
          IntStream.rangeClosed(0, random.nextInt(3)).mapToObj(i -> instance(i, limited)).toList();
      var statistics = TestStatistics.of(MODEL);
      try (var instances =
              InstanceGroup.open(
                  new InstanceGroup.Settings(
                      ExecutedModels.of(config, model, pool, clock::nanos, statistics),
                      GroupSettings.limits(limited ? limiter() : RateLimiter.OFF),
                      Warmup.none(config)),
                  settings);
          Scheduler scheduler =
              SchedulerLoop.start(
                  instances, clock, QueueLimits.of(CAPACITY), DecisionJournal.NONE)) {
        for (int i = 0; i < EVENTS; i++) {
          event(scheduler);
        }
        work.gate.release(EVENTS);
        awaitOutcomes();
        clock.advance(Duration.ofMillis(1)); // longer than the idle time of sequences
        assertThat(sequencesOver).succeedsWithin(Duration.ofSeconds(30));
        requests.forEach(each -> each.check(work));
        if (config.scheduling() instanceof BatchingSettings batching
            && batching.preserveOrdering()) {
          assertThat(requests.stream().map(SimulatedRequest::place).filter(place -> place > 0))
              .as("the order of answers")
              .isSorted();
        }
        assertThat(work.violations).isEmpty();
      }
      assertThat(pool.outstanding()).isZero();
    }

    private InstanceSettings instance(int number, boolean limited) {
      var asks =
          List.of(new RateLimiterSettings.Resource("R", false, random.nextInt(RESOURCE_LIMIT + 1)));
      return new InstanceSettings(
          "m_" + number,
          InstanceSettings.Kind.KIND_CPU,
          0,
          List.of(),
          false,
          limited ? new RateLimiterSettings(asks, random.nextInt(3)) : RateLimiterSettings.NONE);
    }

    private static RateLimiter limiter() {
      return new ExecutionCountLimiter(
          List.of(new ResourceLimit("R", RESOURCE_LIMIT, OptionalInt.empty())));
    }

    private boolean isIterative() {
      return config.sequence().map(SequenceSettings::iterative).orElse(false);
    }

    private void event(Scheduler scheduler) {
      switch (random.nextInt(12)) {
        case 0, 1, 2, 3, 4, 5 -> submit(scheduler);
        case 6, 7, 8 -> work.gate.release();
        case 9 -> {
          if (!requests.isEmpty()) {
            int recent = Math.max(0, requests.size() - 8);
            requests.get(random.nextInt(recent, requests.size())).promise().cancel();
          }
        }
        case 10 -> clock.advance(Duration.ofNanos(random.nextInt(200_000)));
        default -> {
          if (random.nextInt(100) == 0) {
            sequencesOver = scheduler.stop();
          }
        }
      }
    }

    private void submit(Scheduler scheduler) {
      int number = requests.size();
      String kind =
          switch (random.nextInt(20)) {
            case 0 -> "fail";
            case 1 -> "throw";
            case 2, 3 -> isIterative() ? "again" : "r";
            default -> "r";
          };
      var shape = Shape.of(1 + random.nextInt(maxRows), random.nextInt(6) == 0 ? 5 : 3);
      var request = SimulatedRequest.of(number, kind + number, shape, answers);
      requests.add(request);
      if (random.nextInt(30) == 0) {
        request.promise().cancel(); // cancelled before it is submitted
      }
      var options =
          new RequestOptions(
              new SequenceId.OfNumber(random.nextInt(6)),
              random.nextInt(3) == 0,
              random.nextInt(3) == 0,
              random.nextInt(4),
              random.nextInt(3) == 0 ? 1 + random.nextInt(400) : 0,
              Map.of());
      long now = clock.nanos();
      long deadline = random.nextInt(8) == 0 ? now + random.nextInt(400_000) : Long.MAX_VALUE;
      scheduler.submit(request.pending(pool, options, now, deadline));
    }

    /** Advances the time until all requests have an outcome, within a limit. */
    private void awaitOutcomes() {
      long end = System.nanoTime() + MAX_WAIT_NANOS;
      while (requests.stream().anyMatch(SimulatedRequest::isOpen) && System.nanoTime() < end) {
        clock.advance(Duration.ofNanos(100_000));
        LockSupport.parkNanos(1);
      }
    }
  }
}
