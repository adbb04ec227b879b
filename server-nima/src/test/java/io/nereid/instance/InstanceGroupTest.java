package io.nereid.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.exchange.InferenceResponse;
import io.nereid.exchange.PendingRequest;
import io.nereid.exchange.ResponsePromise;
import io.nereid.exchange.ResponseReceiver;
import io.nereid.memory.CheckedBufferPool;
import io.nereid.ratelimit.RateLimiter;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.scheduler.DecisionJournal;
import io.nereid.scheduler.FakeClock;
import io.nereid.scheduler.Scheduler;
import io.nereid.scheduler.Schedulers;
import io.nereid.statistics.ModelStatistics;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class InstanceGroupTest {
  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final FakeClock clock = new FakeClock();
  private final ModelStatistics statistics = new ModelStatistics(new ModelKey("m", 1), Map.of());

  /** In front of the group that was opened last. */
  private @Nullable Scheduler scheduler;

  @AfterEach
  void nothingIsLent() {
    assertThat(pool.outstanding()).isZero();
  }

  private InstanceGroup open(FakeModel model, String... instances) {
    return open(model, clock::nanos, instances);
  }

  private InstanceGroup open(FakeModel model, LongSupplier instancesClock, String... instances) {
    List<InstanceSettings> settings =
        Stream.of(instances)
            .map(name -> FakeModel.settings(name, name.startsWith("passive")))
            .toList();
    ModelConfig config = ModelConfig.of("m", "b");
    InstanceGroup group =
        InstanceGroup.open(
            config, model, settings, pool, instancesClock, statistics, Map.of(), RateLimiter.OFF);
    scheduler =
        Schedulers.start(
            new ModelKey("m", 1), config, model, group, clock, 16, DecisionJournal.NONE);
    return group;
  }

  private TestRequest submit() {
    TestRequest request = TestRequest.of(pool, "r", 1);
    submit(request.pending());
    return request;
  }

  private void submit(PendingRequest request) {
    Objects.requireNonNull(scheduler).submit(request);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException stopped) {
      throw new AssertionError(stopped);
    }
  }

  @Test
  void eachInstanceIsOpenedRunAndClosedByAThreadOfItsOwn() {
    FakeModel model = FakeModel.executing(FakeModel.answering());
    try (InstanceGroup group = open(model, "m_0", "m_1", "m_2")) {
      for (int i = 0; i < 20; i++) {
        submit().outcome().response().close();
      }
      assertThat(group.isHealthy()).isTrue();
      assertThat(model.threads())
          .containsExactlyInAnyOrder("instance m_0", "instance m_1", "instance m_2");
    }
    assertThat(model.executions()).hasValue(20);
    assertThat(model.closed()).hasValue(3);
  }

  @Test
  void aPassiveInstanceStaysOpenUntilTheGroupCloses() {
    FakeModel model = FakeModel.executing(FakeModel.answering());
    try (InstanceGroup group = open(model, "passive_0", "m_0")) {
      awaitIdle("instance passive_0");
      assertThat(model.closed()).hasValue(0);
      assertThat(group.isHealthy()).isTrue();
    }
    assertThat(model.closed()).hasValue(2);
  }

  /** Returns once that thread waits, or has ended. */
  private static void awaitIdle(String thread) {
    while (Thread.getAllStackTraces().keySet().stream()
        .anyMatch(
            other -> other.getName().equals(thread) && other.getState() != Thread.State.WAITING)) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void anInstanceThatCannotBeOpenedClosesTheOthers() {
    FakeModel model =
        FakeModel.opening(
            Map.of(
                "m_1",
                () -> {
                  throw InferenceException.invalid("no such device");
                }),
            FakeModel.answering());

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> open(model, "m_0", "m_1", "m_2"))
        .withMessage("no such device");

    assertThat(model.opened()).hasValue(2);
    assertThat(model.closed()).hasValue(2);
  }

  @Test
  void anInstanceThatCannotBeAddedLeavesTheOthers() {
    FakeModel model =
        FakeModel.opening(
            Map.of(
                "m_1",
                () -> {
                  throw InferenceException.unavailable("no memory for another");
                }),
            FakeModel.answering());
    try (InstanceGroup group = open(model, "m_0")) {
      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(() -> group.add(FakeModel.settings("m_1", false)))
          .withMessage("no memory for another");

      submit().outcome().response().close();
      assertThat(group.isHealthy()).isTrue();
      assertThat(group.isOpen(1)).isFalse();
    }
    assertThat(model.closed()).hasValue(1);
  }

  @Test
  void anErrorAtOpeningIsAnswered() {
    FakeModel model =
        FakeModel.opening(
            Map.of(
                "m_0",
                () -> {
                  throw new UnsatisfiedLinkError("libnone.so");
                }),
            FakeModel.answering());

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> open(model, "m_0"))
        .withMessageContaining("libnone.so")
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL));
  }

  @Test
  void aModelsOwnFailureReachesTheClientAsItIs() {
    FakeModel model =
        FakeModel.executing(
            FakeModel.once(_ -> {
              throw InferenceException.unavailable("out of device memory");
            }));
    try (InstanceGroup _ = open(model, "m_0")) {
      InferenceException failure = submit().outcome().failure();

      assertThat(failure).hasMessage("out of device memory");
      assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
    }
  }

  @Test
  void anInstanceThatThrowsWhateverAnswersInternalAndLivesOn() {
    for (Throwable thrown :
        List.of(new IllegalStateException("bug"), new StackOverflowError("deep"))) {
      thrown.setStackTrace(new StackTraceElement[0]); // it goes to the log of the build
      FakeModel model =
          FakeModel.executing(
              FakeModel.once(results -> {
                results.allocate(0, "OUT", DataType.INT8, Shape.of(1), 1);
                if (thrown instanceof Error error) {
                  throw error;
                }
                throw (RuntimeException) thrown;
              }));
      try (InstanceGroup _ = open(model, "m_0")) {
        InferenceException failure = submit().outcome().failure();
        assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
        assertThat(failure).hasMessage("'m' failed unexpectedly: " + thrown);

        submit().outcome().response().close();
      }
    }
  }

  @Test
  void anInstanceOutlivesAClientWhoseConnectionThrows() {
    FakeModel model = FakeModel.executing(FakeModel.answering());
    try (InstanceGroup group = open(model, "m_0")) {
      var broken =
          new PendingRequest(
              new InferenceRequest(
                  new ModelKey("m", 1), "", List.of(), List.of(), RequestOptions.NONE),
              1,
              List.of(pool.lease(1)),
              () -> {},
              new ResponsePromise(
                  new ResponseReceiver() {
                    @Override
                    public void next(InferenceResponse response) {
                      throw new AssertionError("one response is enough");
                    }

                    @Override
                    public void complete() {
                      throw new AssertionError("no response came");
                    }

                    @Override
                    public void answer(InferenceResponse response) {
                      response.close();
                      throw new OutOfMemoryError("no heap to encode it");
                    }

                    @Override
                    public void fail(InferenceException failure) {
                      throw new AssertionError(failure);
                    }
                  }),
              0,
              Long.MAX_VALUE);
      submit(broken);

      submit().outcome().response().close();
      assertThat(group.isHealthy()).isTrue();
    }
    assertThat(model.closed()).hasValue(1);
  }

  @Test
  void aRequestThatNobodyWaitsForSparesTheModel() {
    var gate = new CountDownLatch(1);
    var entered = new CountDownLatch(1);
    FakeModel model =
        FakeModel.executing(
            FakeModel.once(_ -> {
              entered.countDown();
              await(gate);
            }));
    try (InstanceGroup _ = open(model, "m_0")) {
      TestRequest plug = submit();
      await(entered);
      TestRequest cancelled = submit();
      TestRequest last = submit();
      cancelled.pending().promise().cancel();
      assertThat(cancelled.outcome().failure().code()).isEqualTo(StatusCode.CANCELLED);
      assertThat(cancelled.ended()).hasValue(1);

      gate.countDown();

      plug.outcome().response().close();
      last.outcome().response().close();
      assertThat(model.executions()).hasValue(2);
    }
  }

  @Test
  void aDeadlineThatPassesBetweenSchedulerAndInstanceSparesTheModel() {
    FakeModel model = FakeModel.executing(FakeModel.answering());
    try (InstanceGroup _ = open(model, () -> clock.nanos() + 1_000, "m_0")) {
      TestRequest late = TestRequest.dueBy(pool, clock.nanos() + 1_000);
      submit(late.pending());
      assertThat(late.outcome().failure().code()).isEqualTo(StatusCode.CANCELLED);
      assertThat(late.ended()).hasValue(1);
      assertThat(model.executions()).hasValue(0);
    }
  }

  @Test
  void aRequestIsExecutedUntilItsDeadline() {
    FakeModel model = FakeModel.executing(FakeModel.answering());
    try (InstanceGroup _ = open(model, "m_0")) {
      TestRequest due = TestRequest.dueBy(pool, clock.nanos() + 1);
      submit(due.pending());
      due.outcome().response().close();
      assertThat(model.executions()).hasValue(1);
    }
  }

  @Test
  void requestsOfASharedQueueStartOnWhicheverInstanceIsIdle() {
    var first = new Semaphore(0);
    var second = new Semaphore(0);
    var entered = new Semaphore(0);
    Set<String> running = ConcurrentHashMap.newKeySet();
    FakeModel model =
        FakeModel.executing((instance, _, _) -> {
          running.add(instance);
          entered.release();
          (instance.equals("m_0") ? first : second).acquireUninterruptibly();
        });
    try (InstanceGroup _ = open(model, "m_0", "m_1")) {
      TestRequest one = submit();
      TestRequest two = submit();
      entered.acquireUninterruptibly(2);
      assertThat(running).containsExactlyInAnyOrder("m_0", "m_1");
      TestRequest three = submit();
      running.clear();

      second.release();

      entered.acquireUninterruptibly();
      assertThat(running).containsExactly("m_1");
      first.release(2);
      second.release(2);
      for (TestRequest each : List.of(one, two, three)) {
        each.outcome().response().close();
      }
    }
  }

  @Test
  void aPassiveInstanceIsOpenedAndNeverRun() {
    Set<String> ran = ConcurrentHashMap.newKeySet();
    FakeModel model = FakeModel.executing((instance, _, _) -> ran.add(instance));
    try (InstanceGroup _ = open(model, "passive", "m_0")) {
      for (int i = 0; i < 20; i++) {
        submit().outcome().response().close();
      }
      assertThat(model.opened()).hasValue(2);
    }
    assertThat(ran).containsExactly("m_0");
  }

  @Test
  void closingWaitsForWhatIsRunning() throws Exception {
    var gate = new CountDownLatch(1);
    var entered = new CountDownLatch(1);
    FakeModel model =
        FakeModel.executing((_, _, _) -> {
          entered.countDown();
          await(gate);
        });
    InstanceGroup group = open(model, "m_0");
    TestRequest running = submit();
    await(entered);

    Thread closer = Thread.ofPlatform().start(group::close);
    while (closer.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    assertThat(model.closed()).hasValue(0);
    gate.countDown();

    assertThat(closer.join(java.time.Duration.ofSeconds(60))).isTrue();
    running.outcome().response().close();
    assertThat(model.closed()).hasValue(1);
  }
}
