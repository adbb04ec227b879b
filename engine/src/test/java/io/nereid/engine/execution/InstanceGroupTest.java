package io.nereid.engine.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.engine.execution.batch.ExecutedModels;
import io.nereid.engine.execution.batch.TestRequest;
import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How instances are opened, run and closed. */
@Timeout(120)
class InstanceGroupTest extends GroupUnderTest {
  @Test
  void eachInstanceIsOpenedRunAndClosedByAThreadOfItsOwn() {
    FakeModel model = FakeModel.executing(FakeModel.EMPTY_RESPONSES);
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
  void theStatisticsSayOnWhichGpuAllInstancesRun() {
    FakeModel model = FakeModel.executing(FakeModel.EMPTY_RESPONSES);
    var shared =
        GroupSettings.of(
            ExecutedModels.of(ModelConfig.of("m", "b"), model, pool, clock::nanos, statistics));
    try (InstanceGroup group = openDriven(shared, onGpu("m_0", 1), onGpu("m_1", 1))) {
      assertThat(statistics.snapshot(0, List.of()).gpu()).hasValue(1);
      group.add(onGpu("m_2", 0));
      assertThat(statistics.snapshot(0, List.of()).gpu()).isEmpty();
    }
  }

  private static InstanceSettings onGpu(String name, int gpu) {
    return new InstanceSettings(
        name, InstanceSettings.Kind.KIND_GPU, gpu, List.of(), /* passive= */ false);
  }

  @Test
  void anInstanceWhoseThreadWasNeverStartedIsNotWaitedFor() throws InterruptedException {
    FakeModel model = FakeModel.executing(FakeModel.EMPTY_RESPONSES);
    try (InstanceGroup group = open(model, "m_0")) {
      var instance = new Instance(group, onGpu("m_1", 0), 1, List.of(), statistics::addInstance);
      instance.retire();

      assertThat(instance.hasEnded()).isTrue();
      assertThat(instance.join(Duration.ofMinutes(1))).isTrue();
    }
  }

  @Test
  void aPassiveInstanceStaysOpenUntilTheGroupCloses() {
    FakeModel model = FakeModel.executing(FakeModel.EMPTY_RESPONSES);
    try (InstanceGroup group = open(model, "passive_0", "m_0")) {
      awaitParked("instance passive_0");
      assertThat(model.closed()).hasValue(0);
      assertThat(group.isHealthy()).isTrue();
    }
    assertThat(model.closed()).hasValue(2);
  }

  @Test
  void saysWhichInstanceDoesNotClose() throws InterruptedException {
    var gate = new CountDownLatch(1);
    var entered = new CountDownLatch(1);
    FakeModel model =
        FakeModel.executing((_, _, _) -> {
          entered.countDown();
          await(gate);
        });
    InstanceGroup group = open(model, "m_0");
    TestRequest request = submit();
    await(entered);
    assertThat(group.executing()).containsExactly("m_0");
    try (var log = new LogCapture(InstanceGroup.class.getName())) {
      Thread closer = Thread.ofPlatform().start(group::close);
      await(() -> !log.messages().isEmpty());
      assertThat(log.messages())
          .containsExactly(
              "m:1 is not closed yet: backend 'b' has not returned on the thread of instance"
                  + " 'm_0'");
      gate.countDown();
      closer.join();
    }
    request.outcome().response().close();
    assertThat(group.executing()).isEmpty();
  }

  @Test
  void closesTheOthersIfAnInstanceCannotBeOpened() {
    FakeModel model =
        FakeModel.failingToOpen("m_1", () -> InferenceException.invalid("no such device"));

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> open(model, "m_0", "m_1", "m_2"))
        .withMessage("no such device");

    assertThat(model.opened()).hasValue(2);
    assertThat(model.closed()).hasValue(2);
  }

  @Test
  void aFewInstancesAreOpenedAtATime() throws InterruptedException {
    var gate = new CountDownLatch(1);
    FakeModel model =
        FakeModel.opening(Map.of("m_0", () -> await(gate)), FakeModel.EMPTY_RESPONSES);
    String[] names = IntStream.range(0, 100).mapToObj(i -> "m_" + i).toArray(String[]::new);
    Thread opener = Thread.ofPlatform().name("opener").start(() -> open(model, names));
    await(() -> model.opened().get() >= InstanceGroup.OPENING_AT_ONCE - 1);
    awaitParked("opener");

    assertThat(model.opened()).hasValue(InstanceGroup.OPENING_AT_ONCE - 1);
    gate.countDown();
    opener.join();
    assertThat(model.opened()).hasValue(100);
  }

  @Test
  void noFurtherInstancesAreOpenedOnceOneHasFailed() {
    FakeModel model =
        FakeModel.failingToOpen("m_0", () -> InferenceException.invalid("no such device"));
    String[] names = IntStream.range(0, 100).mapToObj(i -> "m_" + i).toArray(String[]::new);

    assertThatExceptionOfType(InferenceException.class).isThrownBy(() -> open(model, names));

    assertThat(model.opened()).hasValueLessThan(InstanceGroup.OPENING_AT_ONCE);
  }

  @Test
  void theOthersRunOnIfAnInstanceCannotBeAdded() {
    FakeModel model =
        FakeModel.failingToOpen(
            "m_1", () -> InferenceException.unavailable("no memory for another"));
    try (InstanceGroup group = open(model, "m_0")) {
      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(() -> group.add(FakeModel.instance("m_1")))
          .withMessage("no memory for another");

      submit().outcome().response().close();
      assertThat(group.isHealthy()).isTrue();
      assertThat(group.instance(1).isOpen()).isFalse();
    }
    assertThat(model.closed()).hasValue(1);
  }

  @Test
  void anErrorWhileOpeningIsInternal() {
    FakeModel model =
        FakeModel.opening(
            Map.of(
                "m_0",
                () -> {
                  throw new UnsatisfiedLinkError("libnone.so");
                }),
            FakeModel.EMPTY_RESPONSES);

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> open(model, "m_0"))
        .withMessageContaining("libnone.so")
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL));
  }

  @Test
  void requestsOfASharedQueueStartOnAnIdleInstance() {
    var first = new Semaphore(0);
    var second = new Semaphore(0);
    var entered = new Semaphore(0);
    Set<String> running = ConcurrentHashMap.newKeySet();
    FakeModel model =
        FakeModel.executing((instance, _, _) -> {
          running.add(instance.name());
          entered.release();
          (instance.name().equals("m_0") ? first : second).acquireUninterruptibly();
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
    FakeModel model = FakeModel.executing((instance, _, _) -> ran.add(instance.name()));
    try (InstanceGroup _ = open(model, "passive", "m_0")) {
      for (int i = 0; i < 20; i++) {
        submit().outcome().response().close();
      }
      assertThat(model.opened()).hasValue(2);
    }
    assertThat(ran).containsExactly("m_0");
  }

  @Test
  void closeWaitsForTheRunningExecution() throws Exception {
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
    await(() -> closer.getState() == Thread.State.TIMED_WAITING);
    assertThat(model.closed()).hasValue(0);
    gate.countDown();

    assertThat(closer.join(java.time.Duration.ofSeconds(60))).isTrue();
    running.outcome().response().close();
    assertThat(model.closed()).hasValue(1);
  }
}
