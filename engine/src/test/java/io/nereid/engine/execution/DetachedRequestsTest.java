package io.nereid.engine.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.scheduling.DecisionJournal;
import io.nereid.engine.scheduling.SchedulerLoop;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.telemetry.statistics.FailureReason;
import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import io.nereid.request.Parameter;
import io.nereid.spi.Batch;
import io.nereid.spi.DetachedRequest;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of a request that is detached from its execution. */
@Timeout(120)
class DetachedRequestsTest extends GroupUnderTest {
  private static final ModelConfig SINGLE =
      ModelConfig.of("m", "b")
          .withSignature(
              0,
              List.of(TensorConfig.of("IN", DataType.INT32, Shape.of(-1))),
              List.of(
                  TensorConfig.of("OUT", DataType.INT32, Shape.of(-1)),
                  TensorConfig.of("OTHER", DataType.INT32, Shape.of(-1))));
  private static final ModelConfig DECOUPLED = SINGLE.withDecoupled(true);

  private final BlockingQueue<DetachedRequest> detached = new LinkedBlockingQueue<>();
  private final Queue<AssertionError> wrongExecutions = new ConcurrentLinkedQueue<>();
  private final AtomicInteger executions = new AtomicInteger();
  private @Nullable SchedulerLoop scheduler;

  @AfterEach
  void executionsWereRight() {
    assertThat(wrongExecutions).isEmpty();
  }

  /** Serves a model that detaches every request. */
  private InstanceGroup serve(ModelConfig config, int limit) {
    return serve(config, limit, (_, results) -> detached.add(results.detach(0)));
  }

  private InstanceGroup serve(ModelConfig config, int limit, BiConsumer<Batch, Results> work) {
    FakeModel model =
        FakeModel.executing((_, batch, results) -> {
          executions.incrementAndGet();
          try {
            work.accept(batch, results);
          } catch (AssertionError wrong) { // which does not fail a detached request
            wrongExecutions.add(wrong);
            throw wrong;
          }
        });
    var shared = InstanceGroup.Settings.of(config, model, pool, clock::nanos, statistics);
    var limited = limited(shared, shared.limiter(), limit);
    InstanceGroup group = InstanceGroup.open(limited, List.of(FakeModel.instance("m_0")));
    scheduler =
        SchedulerLoop.start(
            new ModelKey("m", 1),
            config,
            model,
            group,
            clock,
            QueueLimits.of(16),
            DecisionJournal.NONE);
    return group;
  }

  private TestRequest send(String id, int... values) {
    return send(
        TestRequest.of(
            pool, id, 1, List.of("OUT"), Tensors.ints("IN", Shape.of(values.length), values)));
  }

  private TestRequest send(TestRequest request) {
    Objects.requireNonNull(scheduler).submit(request.pending());
    return request;
  }

  private DetachedRequest take() {
    try {
      DetachedRequest taken = detached.poll(60, TimeUnit.SECONDS);
      return Objects.requireNonNull(taken, "no request was detached");
    } catch (InterruptedException stopped) {
      throw new AssertionError(stopped);
    }
  }

  private static void fill(DetachedRequest request, int... values) {
    var shape = Shape.of(values.length);
    Tensors.fill(request.allocate("OUT", DataType.INT32, shape, 4L * values.length), values);
  }

  private static List<Integer> output(TestRequest request) {
    try (var response = request.outcome().response()) {
      return Tensors.values(response.output("OUT").orElseThrow());
    }
  }

  private static void onAnotherThread(Runnable call) {
    try {
      Thread.ofVirtual().start(call).join();
    } catch (InterruptedException stopped) {
      throw new AssertionError(stopped);
    }
  }

  @Test
  void isAnsweredByAnyThreadAfterItsExecution() {
    try (InstanceGroup group = serve(SINGLE, 10)) {
      TestRequest first = send("a", 1, 2);
      TestRequest second = send("b", 3);
      DetachedRequest a = take();
      DetachedRequest b = take();
      awaitParked("instance m_0");
      assertThat(group.detached()).isEqualTo(2);
      assertThat(first.outcome().calls()).isZero();

      onAnotherThread(() -> {
        assertThat(b.request().id()).isEqualTo("b");
        fill(b, b.input("IN").orElseThrow().data().get(Elements.INT, 0) * 10);
        b.send();
      });
      assertThat(output(second)).containsExactly(30);
      assertThat(second.ended()).hasValue(1);
      assertThat(first.ended()).hasValue(0);

      assertThat(Tensors.values(a.input("IN").orElseThrow())).containsExactly(1, 2);
      assertThat(a.input("NONE")).isEmpty();
      assertThat(a.wants("OUT")).isTrue();
      assertThat(a.wants("OTHER")).isFalse();
      fill(a, 7, 8);
      a.parameter("p", new Parameter.OfString("v"));
      a.send();
      assertThat(first.ended()).hasValue(1);
      assertThat(first.outcome().response().parameters()).containsKey("p");
      assertThat(output(first)).containsExactly(7, 8);
      assertThat(group.detached()).isZero();
    }
  }

  @Test
  void theMemoryOfItsInputsIsReleasedBeforeTheResponseAndNoEarlier() {
    try (InstanceGroup _ = serve(SINGLE, 10)) {
      TestRequest request = send("a", 1);
      DetachedRequest later = take();
      awaitParked("instance m_0");
      assertThat(pool.outstanding()).isEqualTo(1); // of the inputs
      later.fail(InferenceException.unavailable("no luck"));
      assertThat(request.outcome().failure()).hasMessage("no luck");
      assertThat(pool.outstanding()).isZero();
    }
  }

  @Test
  void aRequestThatEndsDuringItsExecutionKeepsItsInputsUntilThatHasReturned() {
    var mayReturn = new CountDownLatch(1);
    List<Integer> read = new ArrayList<>();
    BiConsumer<Batch, Results> work =
        (batch, results) -> {
          detached.add(results.detach(0));
          await(mayReturn);
          read.addAll(Tensors.values(batch.gathered("IN").orElseThrow()));
        };
    try (InstanceGroup _ = serve(SINGLE, 10, work)) {
      TestRequest request = send("a", 5);
      DetachedRequest later = take();
      fill(later, 6);
      later.send();
      assertThat(output(request)).containsExactly(6); // at once
      assertThat(request.ended()).hasValue(0);
      mayReturn.countDown();
      await(() -> request.ended().get() == 1);
      assertThat(read).containsExactly(5);
    }
  }

  @Test
  void whatWasGivenBeforeStaysWithTheRequest() {
    var released = new AtomicInteger();
    BiConsumer<Batch, Results> work =
        (_, results) -> {
          Tensor four = Tensors.ints("OUT", Shape.of(1), 4);
          results.give(0, four, released::incrementAndGet);
          results.parameter(0, "p", new Parameter.OfLong(3));
          detached.add(results.detach(0));
          assertThat(results.wants("OUT")).isFalse();
        };
    try (InstanceGroup _ = serve(SINGLE, 10, work)) {
      TestRequest request = send("a", 1);
      take().send();
      assertThat(request.outcome().response().parameters()).containsKey("p");
      assertThat(released).hasValue(0);
      assertThat(output(request)).containsExactly(4);
      assertThat(released).hasValue(1);
    }
  }

  @Test
  void itHasLeftTheResultsOfItsBatchButNotTheBatch() {
    List<String> failures = new ArrayList<>();
    BiConsumer<Batch, Results> work =
        (batch, results) -> {
          detached.add(results.detach(0));
          assertThat(batch.input(0, "IN")).isPresent();
          List<Runnable> calls =
              List.of(
                  () -> results.send(0),
                  () -> results.fail(0, InferenceException.internal("")),
                  () -> results.detach(0),
                  () -> results.wants(0, "OUT"),
                  () -> results.parameter(0, "p", new Parameter.OfLong(1)),
                  () -> results.allocate(0, "OUT", DataType.INT32, Shape.of(1), 4));
          for (Runnable call : calls) {
            assertThatIllegalStateException()
                .isThrownBy(call::run)
                .satisfies(failure -> failures.add(failure.getMessage()));
          }
        };
    try (InstanceGroup _ = serve(SINGLE, 10, work)) {
      TestRequest request = send("a", 1);
      DetachedRequest later = take();
      fill(later, 2);
      later.send();
      assertThat(output(request)).containsExactly(2);
    }
    assertThat(failures)
        .hasSize(6)
        .containsOnly("model 'm' used request 'a' of a batch, which is detached from it");
  }

  @Test
  void anExceptionFromItsExecutionDoesNotEndIt() {
    BiConsumer<Batch, Results> work =
        (_, results) -> {
          detached.add(results.detach(0));
          throw InferenceException.internal("the rest of the batch is lost");
        };
    try (InstanceGroup _ = serve(SINGLE, 10, work)) {
      TestRequest request = send("a", 1);
      DetachedRequest later = take();
      fill(later, 2);
      later.send();
      assertThat(output(request)).containsExactly(2);
    }
  }

  @Test
  void aCallAfterTheEndFailsAndIsLoggedOnce() {
    try (InstanceGroup _ = serve(SINGLE, 10);
        var log = new LogCapture(DetachedResponder.class.getName())) {
      TestRequest request = send("a", 1);
      DetachedRequest later = take();
      fill(later, 2);
      later.send();
      assertThat(output(request)).containsExactly(2);
      var released = new AtomicInteger();
      List<Runnable> calls =
          List.of(
              later::send,
              later::finish,
              later::request,
              later::isTraced,
              () -> later.fail(InferenceException.internal("")),
              () -> later.input("IN"),
              () -> later.wants("OUT"),
              () -> later.parameter("p", new Parameter.OfLong(1)),
              () -> later.activity("A", 1),
              () -> later.onCancel(() -> {}),
              () -> later.allocate("OUT", DataType.INT32, Shape.of(1), 4),
              () -> later.give(Tensors.ints("OUT", Shape.of(1), 1), released::incrementAndGet));
      for (Runnable call : calls) {
        assertThatIllegalStateException()
            .isThrownBy(call::run)
            .withMessage(
                "[request id: a] model 'm': backend 'b' used a detached request after its end");
      }
      assertThat(released).hasValue(1);
      assertThat(later.isCancelled()).isTrue();
      assertThat(log.messages()).hasSize(1);
      assertThat(request.ended()).hasValue(1);
      assertThat(request.outcome().calls()).isEqualTo(1);
    }
  }

  @Test
  void ofAnAnswerAndAFailureAtTheSameTimeOneEndsTheRequest() throws InterruptedException {
    try (InstanceGroup _ = serve(SINGLE, 10)) {
      for (int round = 0; round < 200; round++) {
        TestRequest request = send("a", 1);
        DetachedRequest later = take();
        var failed = new AtomicInteger();
        List<Runnable> ends =
            List.of(later::send, () -> later.fail(InferenceException.internal("other")));
        List<Thread> threads = new ArrayList<>();
        for (Runnable end : ends) {
          threads.add(
              Thread.ofVirtual()
                  .start(() -> {
                    try {
                      end.run();
                    } catch (IllegalStateException tooLate) {
                      failed.incrementAndGet();
                    }
                  }));
        }
        for (Thread thread : threads) {
          thread.join();
        }
        assertThat(failed).hasValue(1);
        await(() -> request.ended().get() == 1);
        request.outcome().awaitAndClose();
        assertThat(request.outcome().calls()).isEqualTo(1);
      }
    }
  }

  @Test
  void aWrongOutputFailsItOnceTheBackendHasEndedIt() {
    try (InstanceGroup _ = serve(SINGLE, 10)) {
      TestRequest request = send("a", 1);
      DetachedRequest later = take();
      awaitParked("instance m_0");
      var memory = later.allocate("NONE", DataType.INT32, Shape.of(1), 4);
      memory.set(Elements.INT, 0, 1); // stays valid
      assertThat(request.outcome().calls()).isZero();
      fill(later, 1);
      later.send();
      assertThat(request.outcome().failure())
          .hasMessageContaining("output 'NONE': not declared by the model");
      assertThatIllegalStateException().isThrownBy(later::send);
    }
    assertThat(pool.outstanding()).isZero();
  }

  @Test
  void aWrongOutputOfADecoupledModelFailsItAtOnceAndKeepsTheMemory() {
    try (InstanceGroup _ = serve(DECOUPLED, 10)) {
      TestRequest request = send("a", 1);
      DetachedRequest later = take();
      awaitParked("instance m_0");
      try (var arena = Arena.ofConfined()) {
        var confined = new Tensor("OUT", DataType.INT32, Shape.of(1), arena.allocate(4));
        var released = new AtomicInteger();
        later.give(confined, released::incrementAndGet);
        assertThat(released).hasValue(1);
      }
      assertThat(request.outcome().failure()).hasMessageContaining("confined arena");
      assertThat(later.isCancelled()).isTrue();
      assertThat(request.ended()).hasValue(0);
      later.send(); // has no effect
      later.finish();
      assertThat(request.ended()).hasValue(1);
    }
  }

  @Test
  void aDecoupledModelSendsManyResponsesLater() {
    try (InstanceGroup _ = serve(DECOUPLED, 10)) {
      TestRequest request = send("a", 1);
      DetachedRequest later = take();
      for (int i = 0; i < 3; i++) {
        fill(later, i);
        later.send();
      }
      fill(later, 9);
      later.finish();
      assertThat(request.outcome().earlier())
          .extracting(response -> Tensors.values(response.outputs().getFirst()))
          .containsExactly(List.of(0), List.of(1), List.of(2));
      request.outcome().earlier().forEach(response -> response.close());
      await(() -> request.ended().get() == 1);
      assertThat(request.outcome().calls()).isEqualTo(1);
      var responses = statistics.snapshot(0).responses();
      assertThat(responses).hasSize(4); // the end is the last one
    }
  }

  @Test
  void aModelThatIsNotDecoupledSendsOneResponseAndDoesNotFinish() {
    try (InstanceGroup _ = serve(SINGLE, 10)) {
      TestRequest request = send("a", 1);
      DetachedRequest later = take();
      assertThatIllegalStateException()
          .isThrownBy(later::finish)
          .withMessage("model 'm' is not decoupled: each request gets one response");
      fill(later, 1);
      later.send();
      assertThat(output(request)).containsExactly(1);
    }
  }

  @Test
  void anActionOnCancellationRunsOnceAndMayEndTheRequest() {
    try (InstanceGroup _ = serve(SINGLE, 10)) {
      TestRequest request = send("a", 1);
      DetachedRequest later = take();
      awaitParked("instance m_0");
      var runs = new AtomicInteger();
      later.onCancel(() -> {
        runs.incrementAndGet();
        later.fail(InferenceException.cancelled());
      });
      assertThatIllegalStateException().isThrownBy(() -> later.onCancel(() -> {}));
      assertThat(later.isCancelled()).isFalse();

      request.pending().promise().cancel();

      assertThat(runs).hasValue(1);
      assertThat(later.isCancelled()).isTrue();
      assertThat(request.ended()).hasValue(1);
      await(() ->
          Long.valueOf(1).equals(statistics.snapshot(0).failures().get(FailureReason.CANCELED)));
    }
  }

  @Test
  void anActionRunsAtOnceIfTheRequestIsCancelledAlreadyAndNeverAfterItsEnd() {
    try (InstanceGroup _ = serve(SINGLE, 10)) {
      TestRequest cancelled = send("a", 1);
      DetachedRequest later = take();
      cancelled.pending().promise().cancel();
      assertThat(cancelled.ended()).hasValue(0); // its memory may be in use
      var runs = new AtomicInteger();
      later.onCancel(runs::incrementAndGet);
      assertThat(runs).hasValue(1);
      later.send();
      await(() -> cancelled.ended().get() == 1);

      TestRequest answered = send("b", 1);
      DetachedRequest next = take();
      next.onCancel(runs::incrementAndGet);
      fill(next, 1);
      next.send();
      answered.pending().promise().cancel();
      assertThat(output(answered)).containsExactly(1);
      assertThat(runs).hasValue(1);
    }
  }

  @Test
  void aBatchIsCancelledOnceItsDetachedRequestsAreToo() {
    var mayReturn = new CountDownLatch(1);
    var runs = new AtomicInteger();
    BiConsumer<Batch, Results> work =
        (batch, results) -> {
          DetachedRequest later = results.detach(0);
          assertThat(batch.isCancelled(0)).isFalse();
          batch.onCancel(runs::incrementAndGet);
          detached.add(later); // the test cancels it
          await(mayReturn);
          assertThat(batch.isCancelled(0)).isTrue();
        };
    try (InstanceGroup _ = serve(SINGLE, 10, work)) {
      TestRequest request = send("a", 1);
      DetachedRequest later = take();
      request.pending().promise().cancel();
      await(() -> runs.get() == 1);
      mayReturn.countDown();
      later.fail(InferenceException.cancelled());
      await(() -> request.ended().get() == 1);
    }
  }

  @Test
  void tellsTheTimeUntilTheDeadline() {
    List<Duration> inBatch = new ArrayList<>();
    BiConsumer<Batch, Results> work =
        (batch, results) -> {
          batch.remaining(0).ifPresent(inBatch::add);
          detached.add(results.detach(0));
        };
    try (InstanceGroup _ = serve(SINGLE, 10, work)) {
      TestRequest due = send(TestRequest.dueBy(pool, 1_000));
      DetachedRequest later = take();
      assertThat(inBatch).containsExactly(Duration.ofNanos(1_000));
      clock.advance(Duration.ofNanos(999));
      assertThat(later.remaining()).contains(Duration.ofNanos(1));
      clock.advance(Duration.ofNanos(1));
      assertThat(later.remaining()).contains(Duration.ZERO);
      clock.advance(Duration.ofNanos(1));
      assertThat(later.remaining()).contains(Duration.ZERO);
      later.fail(InferenceException.cancelled());
      due.outcome().awaitAndClose();

      TestRequest any = send("a", 1);
      DetachedRequest other = take();
      assertThat(other.remaining()).isEmpty();
      assertThat(inBatch).hasSize(1);
      other.fail(InferenceException.cancelled());
      any.outcome().awaitAndClose();
    }
  }

  @Test
  void anInstanceAtTheLimitBeginsNoBatchUntilARequestHasEnded() {
    try (InstanceGroup _ = serve(SINGLE, 2)) {
      List<TestRequest> sent = new ArrayList<>(List.of(send("a", 1), send("b", 1)));
      DetachedRequest a = take();
      DetachedRequest b = take();
      sent.add(send("c", 1));
      awaitParked("instance m_0");
      assertThat(executions).hasValue(2);

      b.fail(InferenceException.unavailable("b"));
      DetachedRequest c = take();
      assertThat(executions).hasValue(3);
      a.fail(InferenceException.unavailable("a"));
      c.fail(InferenceException.unavailable("c"));
      sent.forEach(request -> request.outcome().awaitAndClose());
    }
  }

  @Test
  void anInstanceIsClosedOnceItsDetachedRequestsHaveEnded() throws InterruptedException {
    InstanceGroup group = serve(SINGLE, 2);
    TestRequest request = send("a", 1);
    DetachedRequest later = take();
    try (var log = new LogCapture(InstanceGroup.class.getName())) {
      Thread closer = Thread.ofPlatform().start(group::close);
      assertThat(log.await(1))
          .containsExactly(
              "m:1 is not closed yet: backend 'b' has not ended 1 detached requests of instance"
                  + " 'm_0'");
      assertThat(closer.isAlive()).isTrue();
      assertThat(later.input("IN")).isPresent();
      fill(later, 3);
      later.send();
      closer.join();
    }
    assertThat(output(request)).containsExactly(3);
  }

  @Test
  void countsARequestAsDetachedUntilItsEndAndThenWithItsWholeTime() {
    try (InstanceGroup _ = serve(SINGLE, 10)) {
      TestRequest request = send("a", 1);
      DetachedRequest later = take();
      await(() -> statistics.snapshot(1).detached() == 1);
      awaitParked("instance m_0");
      assertThat(statistics.snapshot(1).pending()).isZero();
      assertThat(statistics.snapshot(1).requests().success().count()).isZero();
      assertThat(statistics.snapshot(1).executionCount()).isEqualTo(1);
      clock.advance(Duration.ofMillis(5));
      fill(later, 1);
      later.send();
      assertThat(output(request)).containsExactly(1);
      await(() -> statistics.snapshot(0).requests().success().count() == 1);
      var counted = statistics.snapshot(0);
      assertThat(counted.detached()).isZero();
      assertThat(counted.inferenceCount()).isEqualTo(1);
      assertThat(counted.requests().success().nanos()).isEqualTo(5_000_000);
      assertThat(counted.requests().computeInfer().nanos()).isEqualTo(5_000_000);
      assertThat(request.outcome().computeNanos()).containsExactly(0L, 5_000_000L, 0L);
    }
  }

  @Test
  void oneThatTakesTooLongIsToldToTheOperator() {
    try (InstanceGroup group = serve(SINGLE, 10);
        var log = new LogCapture(ExecutionWatch.class.getName())) {
      long limit = Duration.ofSeconds(2).toNanos();
      TestRequest request = send("a", 1);
      DetachedRequest later = take();
      awaitParked("instance m_0");
      clock.advance(Duration.ofNanos(limit - 1));
      group.watch(limit);
      assertThat(group.overdue()).isEmpty();
      clock.advance(Duration.ofNanos(1));
      group.watch(limit);
      assertThat(group.overdue())
          .isEqualTo(
              "model 'm': a detached request of instance 'm_0' takes longer than 2 s: backend 'b'"
                  + " has not ended it");
      later.fail(InferenceException.unavailable("late"));
      group.watch(limit);
      assertThat(group.overdue()).isEmpty();
      assertThat(log.messages()).hasSize(2);
      request.outcome().awaitAndClose();
    }
  }

  @Test
  void anActionThatThrowsIsALineOfTheLog() {
    try (InstanceGroup _ = serve(SINGLE, 10);
        var log = new LogCapture(DetachedResponder.class.getName())) {
      TestRequest request = send("a", 1);
      DetachedRequest later = take();
      later.onCancel(() -> {
        throw new AssertionError("bug");
      });
      request.pending().promise().cancel();
      assertThat(log.messages()).containsExactly("an action on cancellation failed");
      later.fail(InferenceException.cancelled());
      request.outcome().awaitAndClose();
    }
  }
}
