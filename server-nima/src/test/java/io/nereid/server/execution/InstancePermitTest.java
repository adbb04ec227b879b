package io.nereid.server.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.RateLimiterSettings;
import io.nereid.config.RateLimiterSettings.Resource;
import io.nereid.request.ModelKey;
import io.nereid.server.execution.ratelimit.ExecutionCountLimiter;
import io.nereid.server.execution.ratelimit.ResourceLimit;
import io.nereid.server.execution.sequence.SequencePlace;
import io.nereid.server.memory.CheckedBufferPool;
import io.nereid.server.telemetry.statistics.ModelStatistics;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Instances of which one at a time may run, and a test in place of their scheduler. */
@Timeout(60)
class InstancePermitTest {
  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final LinkedBlockingQueue<Integer> ready = new LinkedBlockingQueue<>();

  @AfterEach
  void nothingIsLent() {
    assertThat(pool.outstanding()).isZero();
  }

  private static InstanceSettings asking(String name, boolean passive, long count) {
    return new InstanceSettings(
        name,
        InstanceSettings.Kind.KIND_CPU,
        0,
        List.of(),
        passive,
        new RateLimiterSettings(List.of(new Resource("R", false, count)), 0));
  }

  private InstanceGroup open(FakeModel model, InstanceSettings... settings) {
    InstanceGroup group =
        InstanceGroup.open(
            ModelConfig.of("m", "b"),
            model,
            List.of(settings),
            pool,
            System::nanoTime,
            new ModelStatistics(new ModelKey("m", 1), Map.of()),
            Map.of(),
            new ExecutionCountLimiter(List.of(new ResourceLimit("R", 1, OptionalInt.empty()))));
    group.listen(
        new ExecutionListener() {
          @Override
          public boolean hasWaiting() {
            return false;
          }

          @Override
          public void ready(int instance) {
            ready.add(instance);
          }

          @Override
          public void executed(int instance, long endNanos) {}

          @Override
          public void rescheduled(SequencePlace request) {}
        });
    return group;
  }

  private void awaitReady(int instance) throws InterruptedException {
    assertThat(ready.poll(60, TimeUnit.SECONDS)).isEqualTo(instance);
  }

  /** Returns once that thread waits, or has ended. */
  private static void awaitIdle(String thread) {
    while (Thread.getAllStackTraces().keySet().stream()
        .anyMatch(
            other -> other.getName().equals(thread) && other.getState() != Thread.State.WAITING)) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException stopped) {
      throw new AssertionError(stopped);
    }
  }

  @Test
  void oneThatIsCalledIsReadyWhenTheOneBeforeHasNothingToDo() throws Exception {
    FakeModel model = FakeModel.executing(FakeModel.answering());
    try (InstanceGroup group = open(model, asking("m_0", false, 1), asking("m_1", false, 1))) {
      group.wake(1);
      awaitReady(1);
      group.wake(0);
      assertThat(ready).isEmpty();

      group.idle(1);
      awaitReady(0);
      group.idle(0);
    }
  }

  @Test
  void oneThatIsToCloseInItsTurnEndsOnceItIsToldThatThereIsNothing() throws Exception {
    FakeModel model = FakeModel.executing(FakeModel.answering());
    try (InstanceGroup group = open(model, asking("m_0", false, 1))) {
      group.wake(0);
      awaitReady(0);

      group.retire(0);
      awaitIdle("instance m_0");
      assertThat(model.closed()).hasValue(0);

      group.idle(0);
      while (model.closed().get() == 0) {
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  @Test
  void oneThatClosesWaitsForWhoeverRuns() throws Exception {
    var mayEnd = new CountDownLatch(1);
    var closed = new AtomicInteger();
    var closedMeanwhile = new AtomicInteger(-1);
    FakeModel model =
        new FakeModel(
            Map.of(),
            (_, _, _) -> {
              await(mayEnd);
              closedMeanwhile.set(closed.get());
            },
            new AtomicInteger(),
            closed,
            new AtomicInteger(),
            ConcurrentHashMap.newKeySet());
    TestRequest request = TestRequest.of(pool, "r", 1);
    try (InstanceGroup group = open(model, asking("m_0", false, 1), asking("m_1", false, 1))) {
      group.wake(0);
      awaitReady(0);
      group.execution(0).add(request.pending());
      group.run(0);

      group.retire(1);
      awaitIdle("instance m_1");
      mayEnd.countDown();
      request.outcome().response().close();
    }
    assertThat(closedMeanwhile).hasValue(0);
    assertThat(closed).hasValue(2);
  }

  @Test
  void aPassiveOneIsOpenedWhateverItAsksFor() {
    FakeModel model = FakeModel.executing(FakeModel.answering());
    try (InstanceGroup group = open(model, asking("m_0", false, 1), asking("p_0", true, 5))) {
      assertThat(group.isHealthy()).isTrue();
    }
    assertThat(model.closed()).hasValue(2);
  }
}
