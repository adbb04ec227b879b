package io.nereid.engine.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.BatchingSettings;
import io.nereid.config.ModelConfig;
import io.nereid.engine.execution.FakeModel;
import io.nereid.engine.execution.GroupSettings;
import io.nereid.engine.execution.InstanceGroup;
import io.nereid.engine.execution.batch.ExecutedModels;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.RecordedOutcome;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.SchedulingPolicy;
import io.nereid.engine.telemetry.statistics.FailureReason;
import io.nereid.engine.telemetry.statistics.ModelStatistics;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot.DurationSum;
import io.nereid.engine.telemetry.statistics.TestStatistics;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A scheduler with its event ring, instance and clock. */
@Timeout(120)
class SchedulerLoopTest {
  private static final int CAPACITY = 64;

  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final FakeClock clock = new FakeClock();
  private final Semaphore gate = new Semaphore(0);
  private final BlockingQueue<List<String>> executed = new LinkedBlockingQueue<>();
  private final AtomicInteger ended = new AtomicInteger();
  private final ModelStatistics statistics = TestStatistics.of(new ModelKey("m", 1));
  private final Model model = FakeModel.executing((_, batch, _) -> hold(batch));
  private final InstanceGroup instances =
      InstanceGroup.open(
          GroupSettings.of(ExecutedModels.of(config(), model, pool, clock::nanos, statistics)),
          List.of(FakeModel.instance("m_0")));
  private final Scheduler scheduler =
      SchedulerLoop.start(instances, clock, QueueLimits.of(CAPACITY), this::policy);

  /** Whether the next decision on a batch fails. */
  private final AtomicBoolean fails = new AtomicBoolean();

  private SchedulingPolicy policy(
      ModelKey key, ModelConfig config, int count, QueueLimits limits, BatchingRule rule) {
    return SchedulingPolicies.of(
        config.scheduling(),
        config.maxBatchSize(),
        /* costs= */ null,
        limits,
        new BatchingRule() {
          @Override
          public void begin(Ticket first) {
            if (fails.getAndSet(false)) {
              throw new IllegalStateException("a bug, as expected");
            }
          }

          @Override
          public boolean joins(Ticket next) {
            return rule.joins(next);
          }
        });
  }

  private static ModelConfig config() {
    return ModelConfig.of("m", "b")
        .withSignature(4, List.of(), List.of())
        .withScheduling(BatchingSettings.of(List.of(4), 1_000));
  }

  /** Records each batch, then waits at the gate. */
  private void hold(Batch batch) {
    executed.add(IntStream.range(0, batch.size()).mapToObj(i -> batch.request(i).id()).toList());
    gate.acquireUninterruptibly();
  }

  @AfterEach
  void everythingIsReleased() {
    gate.release(1_000);
    scheduler.close();
    instances.close();
    assertThat(pool.outstanding()).isZero();
  }

  private RecordedOutcome submit(String id) {
    return submit(id, Long.MAX_VALUE);
  }

  private RecordedOutcome submit(String id, long deadlineNanos) {
    var outcome = new RecordedOutcome();
    submit(id, deadlineNanos, new ResponsePromise(outcome));
    return outcome;
  }

  private void submit(String id, long deadlineNanos, ResponsePromise promise) {
    scheduler.submit(
        new PendingRequest(
            new InferenceRequest(
                new ModelKey("m", 1), id, List.of(), List.of(), RequestOptions.NONE),
            1,
            List.of(pool.lease(10)),
            ended::incrementAndGet,
            promise,
            clock.nanos(),
            deadlineNanos));
  }

  private List<String> nextExecution() throws InterruptedException {
    return executed.poll(30, TimeUnit.SECONDS);
  }

  @Test
  void executesFullBatchesOneAfterTheOther() throws InterruptedException {
    for (String id : List.of("a", "b", "c", "d", "e")) {
      submit(id);
    }
    assertThat(nextExecution()).containsExactly("a", "b", "c", "d");
    gate.release();
    assertThat(executed.poll()).isNull();
    clock.advance(Duration.ofMillis(1));
    assertThat(nextExecution()).containsExactly("e");
  }

  @Test
  void tellsHowLongAnotherRequestWouldWait() throws InterruptedException {
    assertThat(scheduler.waitNanos()).isZero();
    List.of("a", "b", "c", "d").forEach(this::submit);
    assertThat(nextExecution()).hasSize(4);
    List.of("e", "f", "g", "h").forEach(this::submit);
    assertThat(scheduler.waitNanos()).as("before an execution was measured").isZero();
    clock.advance(Duration.ofMillis(100));
    gate.release();
    assertThat(nextExecution()).containsExactly("e", "f", "g", "h");

    assertThat(scheduler.waitNanos()).isEqualTo(Duration.ofMillis(100).toNanos());
    List.of("i", "j", "k", "l").forEach(this::submit);
    assertThat(scheduler.waitNanos()).isEqualTo(Duration.ofMillis(200).toNanos());
    clock.advance(Duration.ofMillis(30));
    assertThat(scheduler.waitNanos()).isEqualTo(Duration.ofMillis(170).toNanos());
  }

  @Test
  void dispatchesAPartialBatchWhenTheDelayExpires() throws InterruptedException {
    submit("a");
    submit("b");
    clock.advance(Duration.ofNanos(999_999));
    assertThat(executed.poll()).isNull();
    clock.advance(Duration.ofNanos(1));
    assertThat(nextExecution()).containsExactly("a", "b");
  }

  @Test
  void endsACancelledRequestAtOnce() throws InterruptedException {
    var outcome = new RecordedOutcome();
    var promise = new ResponsePromise(outcome);
    submit("a", Long.MAX_VALUE, promise);
    promise.cancel();
    assertThat(outcome.failure().code()).isEqualTo(StatusCode.CANCELLED);
    assertThat(ended).hasValue(1);
    submit("b");
    clock.advance(Duration.ofMillis(1));
    assertThat(nextExecution()).containsExactly("b");
  }

  @Test
  void doesNotQueueARequestCancelledBefore() {
    var promise = new ResponsePromise(new RecordedOutcome());
    promise.cancel();
    submit("a", Long.MAX_VALUE, promise);
    assertThat(ended).hasValue(1);
    clock.advance(Duration.ofMillis(1));
    assertThat(executed.poll()).isNull();
  }

  @Test
  void cancelsAQueuedRequestAtItsDeadline() {
    RecordedOutcome outcome = submit("a", 500_000);
    clock.advance(Duration.ofNanos(499_999));
    assertThat(outcome.calls()).isZero();
    clock.advance(Duration.ofNanos(1));
    assertThat(outcome.failure().code()).isEqualTo(StatusCode.CANCELLED);
    assertThat(outcome.isRejected()).isFalse();
    assertThat(ended).hasValue(1);
  }

  @Test
  void countsRequestsThatFailInTheQueueByReasonButNotRejectedOnes() {
    var promise = new ResponsePromise(new RecordedOutcome());
    submit("a", Long.MAX_VALUE, promise);
    clock.advance(Duration.ofNanos(300));
    promise.cancel();
    submit("b", 800);
    clock.advance(Duration.ofNanos(500));
    assertThat(scheduler.stop()).isDone();
    assertThat(submit("c").calls()).isEqualTo(1);

    var counted = statistics.snapshot(0, List.of());
    assertThat(counted.failures())
        .containsEntry(FailureReason.CANCELED, 2L)
        .containsEntry(FailureReason.REJECTED, 0L)
        .containsEntry(FailureReason.OTHER, 0L);
    assertThat(counted.requests().fail()).isEqualTo(new DurationSum(2, 800));
  }

  @Test
  void rejectsARequestIfTheQueueIsFull() throws InterruptedException {
    submit("plug");
    clock.advance(Duration.ofMillis(1));
    assertThat(nextExecution()).containsExactly("plug");
    List<RecordedOutcome> queued = IntStream.range(0, CAPACITY).mapToObj(_ -> submit("q")).toList();

    RecordedOutcome rejected = submit("c");
    assertThat(rejected.isRejected()).isTrue();
    InferenceException failure = rejected.failure();
    assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
    assertThat(failure).hasMessage("[request id: c] Exceeds maximum queue size");
    assertThat(submit("").failure())
        .hasMessage("[request id: <id_unknown>] Exceeds maximum queue size");

    gate.release(1_000);
    for (RecordedOutcome each : queued) {
      each.response().close();
    }
  }

  @Test
  void decidesAgainAfterADecisionHasFailed() throws InterruptedException {
    fails.set(true);
    submit("a");
    assertThat(fails).isFalse();
    clock.advance(Duration.ofSeconds(1));
    clock.advance(Duration.ofMillis(1));

    assertThat(nextExecution()).containsExactly("a");
  }

  @Test
  void rejectsNewRequestsAfterTheStopAndExecutesOldOnes() throws InterruptedException {
    RecordedOutcome before = submit("a");
    assertThat(scheduler.stop()).isDone();
    assertThat(submit("b").failure())
        .hasMessage(
            "[request id: b] Server is stopping, scheduler for model has stopped accepting new"
                + " inference requests");
    clock.advance(Duration.ofMillis(1));
    assertThat(nextExecution()).containsExactly("a");
    gate.release();
    before.response().close();
  }

  @Test
  void respondsOnceToEachOfManyThreads() throws InterruptedException {
    int threads = 8;
    int each = 2_000;
    gate.release(threads * each);
    var answered = new AtomicInteger();
    List<Thread> submitters =
        IntStream.range(0, threads)
            .mapToObj(_ ->
                Thread.ofVirtual()
                    .start(() -> {
                      for (int i = 0; i < each; i++) {
                        RecordedOutcome outcome = submit("r");
                        if (i % 3 == 0) {
                          clock.advance(Duration.ofMillis(1));
                        }
                        while (outcome.calls() == 0) {
                          clock.advance(Duration.ofMillis(1));
                          LockSupport.parkNanos(1);
                        }
                        outcome.response().close();
                        answered.incrementAndGet();
                      }
                    }))
            .toList();
    for (Thread submitter : submitters) {
      submitter.join();
    }
    assertThat(answered).hasValue(threads * each);
    assertThat(ended).hasValue(threads * each);
  }
}
