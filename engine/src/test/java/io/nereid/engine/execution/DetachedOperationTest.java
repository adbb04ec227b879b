package io.nereid.engine.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.nereid.engine.execution.batch.TestRequest;
import io.nereid.engine.telemetry.statistics.FailureReason;
import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import io.nereid.spi.Batch;
import io.nereid.spi.DetachedRequest;
import io.nereid.spi.Results;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Cancellations and deadlines of detached requests, and what an operator sees of them. */
@Timeout(120)
class DetachedOperationTest extends DetachingGroup {
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
          Long.valueOf(1)
              .equals(statistics.snapshot(0, List.of()).failures().get(FailureReason.CANCELED)));
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
      await(() -> statistics.snapshot(1, List.of()).detached() == 1);
      awaitParked("instance m_0");
      assertThat(statistics.snapshot(1, List.of()).pending()).isZero();
      assertThat(statistics.snapshot(1, List.of()).requests().success().count()).isZero();
      assertThat(statistics.snapshot(1, List.of()).executionCount()).isEqualTo(1);
      clock.advance(Duration.ofMillis(5));
      fill(later, 1);
      later.send();
      assertThat(output(request)).containsExactly(1);
      await(() -> statistics.snapshot(0, List.of()).requests().success().count() == 1);
      var counted = statistics.snapshot(0, List.of());
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
      assertThat(later.isTraced()).isFalse(); // from now on this is the thread that answers it
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
      assertThat(log.records().getFirst().getThrown())
          .hasMessage("the thread '%s' is at".formatted(Thread.currentThread().getName()))
          .hasStackTraceContaining("oneThatTakesTooLongIsToldToTheOperator");
      request.outcome().awaitAndClose();
    }
  }

  @Test
  void anActionThatThrowsIsALineOfTheLog() {
    try (InstanceGroup _ = serve(SINGLE, 10);
        var log = new LogCapture("io.nereid.engine.execution.batch.DetachedResponder")) {
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
