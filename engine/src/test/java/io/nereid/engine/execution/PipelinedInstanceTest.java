package io.nereid.engine.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.BatchingSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.engine.execution.batch.ExecutedModels;
import io.nereid.engine.execution.batch.TestRequest;
import io.nereid.engine.execution.ratelimit.ExecutionCountLimiter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Batches that are started while others are in flight, on a device that the test moves on. */
@Timeout(120)
class PipelinedInstanceTest extends PipelineUnderTest {
  @Test
  void startsABatchWhileTheOneBeforeIsInFlight() {
    FakeDevice device = device(2);
    serve("m_0");
    TestRequest a = send("a");
    assertThat(device.awaitStarted()).containsExactly("a");
    device.read(1);
    TestRequest b = send("b");

    assertThat(device.awaitStarted()).containsExactly("b");
    assertThat(device.finished).isEmpty();
    assertThat(a.outcome().calls()).isZero();

    device.complete(1);
    assertThat(device.awaitFinished()).containsExactly("a");
    assertAnswered(a);
    device.complete(1);
    assertAnswered(b);
  }

  @Test
  void formsTheNextBatchOnceTheDeviceHasReadTheInputsOfTheLastOne() {
    FakeDevice device = device(3);
    scheduling = BatchingSettings.of(List.of(8), 0);
    serve("m_0");
    TestRequest a = send("a");
    assertThat(device.awaitStarted()).containsExactly("a");
    TestRequest b = send("b");
    device.awaitAsked();
    TestRequest c = send("c");
    device.awaitAsked();
    assertThat(device.started).isEmpty();

    device.read(1);

    assertThat(device.awaitStarted()).containsExactly("b", "c");
    device.complete(2);
    assertAnswered(a, b, c);
  }

  @Test
  void startsNoMoreBatchesThanItsDepth() {
    FakeDevice device = device(2);
    serve("m_0");
    device.read(10);
    TestRequest a = send("a");
    TestRequest b = send("b");
    TestRequest c = send("c");
    assertThat(device.awaitStarted()).containsExactly("a");
    assertThat(device.awaitStarted()).containsExactly("b");
    assertThat(c.outcome().calls()).isZero(); // a further start fails in the device

    device.complete(1);

    assertThat(device.awaitStarted()).containsExactly("c");
    device.complete(2);
    assertAnswered(a, b, c);
  }

  @Test
  void noticesABatchWhileItWaitsForTheDevice() {
    FakeDevice device = device(5);
    serve("m_0");
    device.read(10);
    List<TestRequest> sent = new ArrayList<>();
    for (String id : List.of("a", "b", "c", "d")) {
      sent.add(send(id));
      assertThat(device.awaitStarted()).containsExactly(id);
      device.awaitAsked();
    }

    device.complete(4);

    assertAnswered(sent.toArray(TestRequest[]::new));
    assertThat(device.finished.stream().flatMap(List::stream)).containsExactly("a", "b", "c", "d");
  }

  @Test
  void parksTheThreadOfAnInstanceWithoutABatchInFlight() {
    FakeDevice device = device(2);
    serve("m_0");
    device.passAll();
    assertAnswered(send("a"));

    awaitParked("instance m_0"); // without a time limit

    assertThat(Objects.requireNonNull(group).executing()).isEmpty();
  }

  @Test
  void anInstanceWithABatchInFlightIsBusy() {
    FakeDevice device = device(2);
    serve("m_0");
    device.read(10);
    TestRequest a = send("a");
    device.awaitStarted();
    device.awaitAsked();

    assertThat(Objects.requireNonNull(group).executing()).hasSize(1);

    device.complete(1);
    assertAnswered(a);
  }

  /** The models whose batches depend on those before them. */
  static List<UnaryOperator<ModelConfig>> dependent() {
    return List.of(
        config ->
            config.withScheduling(
                new SequenceSettings(
                    1_000_000, List.of(), new Strategy.Direct(0, 0), List.of(), false)),
        config -> config.withDecoupled(true));
  }

  @ParameterizedTest
  @MethodSource("dependent")
  void executesBatchesThatDependOnOthersOneByOne(UnaryOperator<ModelConfig> dependent) {
    FakeDevice device = device(2);
    var shared =
        GroupSettings.of(
            ExecutedModels.of(dependent.apply(config()), device, pool, clock::nanos, statistics));
    try (InstanceGroup driven = openDriven(shared, FakeModel.instance("m_0"))) {
      driven.instance(0).batch().add(TestRequest.of(pool, "a", 1).pending());
      driven.instance(0).dispatch();
    }
    assertThat(device.executed).hasValue(1);
    assertThat(device.started).isEmpty();
  }

  @Test
  void executesBatchesOneByOneUnderARateLimiter() {
    FakeDevice device = device(2);
    var plain =
        GroupSettings.of(ExecutedModels.of(config(), device, pool, clock::nanos, statistics));
    var limited =
        new InstanceGroup.Settings(
            ExecutedModels.of(config(), device, pool, clock::nanos, statistics),
            GroupSettings.limits(new ExecutionCountLimiter(List.of())),
            plain.warmup());
    try (InstanceGroup driven = openDriven(limited, FakeModel.instance("m_0"))) {
      driven.instance(0).wake();
      await(() -> !ready.isEmpty());
      driven.instance(0).batch().add(TestRequest.of(pool, "a", 1).pending());
      driven.instance(0).dispatch();
      await(() -> device.executed.get() == 1);
    }
    assertThat(device.started).isEmpty();
  }

  @Test
  void closesAfterTheLastFinish() {
    FakeDevice device = device(2);
    serve("m_0");
    device.read(10);
    TestRequest a = send("a");
    TestRequest b = send("b");
    device.awaitStarted();
    device.awaitStarted();

    Thread closer = Thread.ofPlatform().start(Objects.requireNonNull(group)::close);
    await(() ->
        EnumSet.of(Thread.State.WAITING, Thread.State.TIMED_WAITING).contains(closer.getState()));
    device.complete(1);
    assertThat(device.awaitFinished()).containsExactly("a");
    assertThat(device.closed).hasValue(0);

    device.complete(1);
    assertAnswered(a, b);
  }

  @Test
  void aRemovedInstanceIsClosedAfterItsLastBatchAndGetsNoOther() {
    FakeDevice device = device(2);
    serve("m_0", "m_1");
    device.read(10);
    TestRequest a = send("a");
    TestRequest b = send("b");
    TestRequest c = send("c");
    TestRequest d = send("d");
    for (int i = 0; i < 4; i++) {
      device.awaitStarted();
    }

    Objects.requireNonNull(scheduler).removeInstance(0);
    TestRequest e = send("e");
    assertThat(device.closed).hasValue(0);
    device.complete(10);

    assertAnswered(a, b, c, d, e);
    await(() -> device.closed.get() == 1);
    assertAnswered(send("f"));
    assertThat(device.closed).hasValue(1);
  }
}
