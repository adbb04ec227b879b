package io.nereid.engine.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.RateLimiterSettings;
import io.nereid.config.RateLimiterSettings.Resource;
import io.nereid.engine.execution.batch.ExecutedModels;
import io.nereid.engine.execution.batch.TestRequest;
import io.nereid.engine.execution.ratelimit.ExecutionCountLimiter;
import io.nereid.engine.execution.ratelimit.RateLimiter.ResourceLimit;
import io.nereid.engine.execution.warmup.Warmup;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Instances of which one at a time may run, with the test as their scheduler. */
@Timeout(60)
class InstancePermitTest extends GroupUnderTest {
  private static InstanceSettings needing(String name, boolean passive, long count) {
    return new InstanceSettings(
        name,
        InstanceSettings.Kind.KIND_CPU,
        0,
        List.of(),
        passive,
        new RateLimiterSettings(List.of(new Resource("R", false, count)), 0));
  }

  private InstanceGroup open(FakeModel model, InstanceSettings... instances) {
    var limiter =
        new ExecutionCountLimiter(List.of(new ResourceLimit("R", 1, OptionalInt.empty())));
    var config = ModelConfig.of("m", "b");
    var shared =
        new InstanceGroup.Settings(
            ExecutedModels.of(config, model, pool, clock::nanos, statistics),
            GroupSettings.limits(limiter),
            Warmup.none(config));
    return openDriven(shared, instances);
  }

  private void awaitReady(int instance) throws InterruptedException {
    assertThat(ready.poll(60, TimeUnit.SECONDS)).isEqualTo(instance);
  }

  @Test
  void aWokenInstanceIsReadyOnceTheAllocatedOneIsIdle() throws Exception {
    FakeModel model = FakeModel.executing(FakeModel.EMPTY_RESPONSES);
    try (InstanceGroup group = open(model, needing("m_0", false, 1), needing("m_1", false, 1))) {
      group.instance(1).wake();
      awaitReady(1);
      group.instance(0).wake();
      assertThat(ready).isEmpty();

      group.instance(1).idle();
      awaitReady(0);
      group.instance(0).idle();
    }
  }

  @Test
  void aRetiredInstanceThatIsReadyClosesOnceItIsIdle() throws Exception {
    FakeModel model = FakeModel.executing(FakeModel.EMPTY_RESPONSES);
    try (InstanceGroup group = open(model, needing("m_0", false, 1))) {
      group.instance(0).wake();
      awaitReady(0);

      group.instance(0).retire();
      awaitParked("instance m_0");
      assertThat(model.closed()).hasValue(0);

      group.instance(0).idle();
      await(() -> model.closed().get() > 0);
    }
  }

  @Test
  void aRetiredInstanceClosesOnceItIsAllocated() throws Exception {
    var mayEnd = new CountDownLatch(1);
    var model = new FakeModel[1];
    var closedMeanwhile = new AtomicInteger(-1);
    model[0] =
        FakeModel.executing((_, _, _) -> {
          await(mayEnd);
          closedMeanwhile.set(model[0].closed().get());
        });
    TestRequest request = TestRequest.of(pool, "r", 1);
    try (InstanceGroup group = open(model[0], needing("m_0", false, 1), needing("m_1", false, 1))) {
      group.instance(0).wake();
      awaitReady(0);
      group.instance(0).batch().add(request.pending());
      group.instance(0).dispatch();

      group.instance(1).retire();
      awaitParked("instance m_1");
      mayEnd.countDown();
      request.outcome().response().close();
    }
    assertThat(closedMeanwhile).hasValue(0);
    assertThat(model[0].closed()).hasValue(2);
  }

  @Test
  void aPassiveInstanceOpensWhateverItNeeds() {
    FakeModel model = FakeModel.executing(FakeModel.EMPTY_RESPONSES);
    try (InstanceGroup group = open(model, needing("m_0", false, 1), needing("p_0", true, 5))) {
      assertThat(group.isHealthy()).isTrue();
    }
    assertThat(model.closed()).hasValue(2);
  }
}
