package io.nereid.engine.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.InstanceSettings;
import io.nereid.config.RateLimiterSettings;
import io.nereid.config.RateLimiterSettings.Resource;
import io.nereid.engine.execution.batch.ExecutedModels;
import io.nereid.engine.execution.batch.TestRequest;
import io.nereid.engine.execution.ratelimit.ExecutionCountLimiter;
import io.nereid.engine.execution.ratelimit.RateLimiter.ResourceLimit;
import io.nereid.engine.request.AwaitedResponse;
import io.nereid.engine.request.PendingRequest;
import io.nereid.error.InferenceException;
import io.nereid.spi.Batch;
import io.nereid.spi.DetachedRequest;
import io.nereid.spi.Results;
import java.util.List;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Instances of all kinds that have as many detached requests as they may. */
@Timeout(120)
class DetachedLimitsTest extends PipelineUnderTest {
  private final Queue<DetachedRequest> detached = new ConcurrentLinkedQueue<>();

  private void detach(Batch batch, Results results) {
    for (int i = 0; i < batch.size(); i++) {
      detached.add(results.detach(i));
    }
  }

  private void failNext() {
    detached.remove().fail(InferenceException.unavailable("later"));
  }

  private static void assertFailed(TestRequest... requests) {
    for (TestRequest request : requests) {
      assertThat(request.outcome().failure()).hasMessage("later");
      await(() -> request.ended().get() == 1); // by its instance, if it has not returned
    }
  }

  @Test
  void aPipelinedInstanceStartsNoBatchAtTheLimitAndFinishesThoseInFlight() {
    maxDetached = 2;
    FakeDevice device = device(2).onStart(this::detach);
    serve("m_0");
    device.read(10);
    TestRequest a = send("a");
    device.awaitStarted();
    TestRequest b = send("b");
    device.awaitStarted();
    TestRequest c = send("c");
    device.complete(2);
    device.awaitFinished();
    device.awaitFinished();
    awaitParked("instance m_0");
    assertThat(device.started).isEmpty();
    assertThat(detached).hasSize(2);

    failNext();
    device.awaitStarted();
    assertFailed(a);
    device.complete(1);
    device.awaitFinished();
    failNext();
    failNext();
    assertFailed(b, c);
  }

  @Test
  void aRequestThatIsDetachedByStartMayEndBeforeFinish() {
    FakeDevice device = device(2).onStart(this::detach);
    serve("m_0");
    TestRequest a = send("a");
    device.awaitStarted();
    await(() -> !detached.isEmpty());
    failNext();
    assertThat(a.ended()).hasValue(0); // the device may read its inputs
    device.passAll();
    device.awaitFinished();
    assertFailed(a);
  }

  @Test
  void aLentInstanceKeepsNoThreadThatHasItsResponse() throws InterruptedException {
    maxDetached = 1;
    var threads = new ConcurrentLinkedQueue<String>();
    var time = new AtomicLong();
    var isDetached = new AtomicBoolean();
    FakeModel model =
        FakeModel.onAnyThread((_, _, results) -> {
          threads.add(Thread.currentThread().getName());
          time.addAndGet(1_000);
          if (isDetached.get()) {
            DetachedRequest later = results.detach(0);
            detached.add(later);
            Thread.ofVirtual().start(later::send);
          }
        });
    try (InstanceGroup group = open(model, time::get, "m_0")) {
      infer();
      awaitParked("instance m_0");
      isDetached.set(true);
      for (int i = 0; i < 20; i++) {
        infer();
        await(() -> group.detached() == 0);
      }
    }
    assertThat(threads).hasSize(21).contains(Thread.currentThread().getName());
  }

  private void infer() {
    var receiver = new AwaitedResponse();
    var ended = new AtomicInteger();
    PendingRequest request = TestRequest.pending(pool, "r", ended::incrementAndGet, receiver);
    submit(request);
    receiver.await(request.promise(), Long.MAX_VALUE).close();
    await(() -> ended.get() == 1);
  }

  @Test
  void anInstanceAtTheLimitHoldsNoPermit() throws InterruptedException {
    maxDetached = 1;
    waiting = true;
    FakeModel model = FakeModel.executing((_, batch, results) -> detach(batch, results));
    var limiter =
        new ExecutionCountLimiter(List.of(new ResourceLimit("R", 1, OptionalInt.empty())));
    var plain =
        GroupSettings.of(ExecutedModels.of(config(), model, pool, clock::nanos, statistics));
    try (InstanceGroup driven =
        openDriven(limited(plain, limiter, maxDetached), needing("m_0"), needing("m_1"))) {
      TestRequest a = TestRequest.of(pool, "a", 1);
      dispatch(driven, 0, a);
      await(() -> detached.size() == 1);
      TestRequest b = TestRequest.of(pool, "b", 1);
      dispatch(driven, 1, b);
      await(() -> detached.size() == 2);
      failNext();
      failNext();
      assertFailed(a, b);
    }
  }

  private void dispatch(InstanceGroup driven, int instance, TestRequest request)
      throws InterruptedException {
    driven.instance(instance).wake();
    assertThat(ready.poll(60, TimeUnit.SECONDS)).isEqualTo(instance);
    driven.instance(instance).batch().add(request.pending());
    driven.instance(instance).dispatch();
  }

  private static InstanceSettings needing(String name) {
    return new InstanceSettings(
        name,
        InstanceSettings.Kind.KIND_CPU,
        0,
        List.of(),
        /* passive= */ false,
        new RateLimiterSettings(List.of(new Resource("R", false, 1)), 0));
  }

  @Test
  void anotherInstanceGetsTheBatchesThatOneAtTheLimitDoesNot() {
    maxDetached = 1;
    var executed = new ConcurrentLinkedQueue<String>();
    FakeModel model =
        FakeModel.executing((instance, batch, results) -> {
          executed.add(instance.name());
          if (executed.size() == 1) {
            detach(batch, results);
          }
        });
    try (InstanceGroup _ = open(model, "m_0", "m_1")) {
      TestRequest held = submit();
      await(() -> detached.size() == 1);
      awaitParked("instance m_0");
      awaitParked("instance m_1");
      for (int i = 0; i < 10; i++) {
        submit().outcome().response().close();
      }
      failNext();
      assertFailed(held);
    }
    String first = executed.remove();
    assertThat(executed).hasSize(10).doesNotContain(first);
  }
}
