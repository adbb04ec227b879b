package io.nereid.server.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.BatchingSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.QueuePolicy;
import io.nereid.config.SchedulingSettings;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.config.TensorConfig;
import io.nereid.request.ModelKey;
import io.nereid.server.execution.ratelimit.ExecutionCountLimiter;
import io.nereid.server.scheduling.DecisionJournal;
import io.nereid.server.scheduling.SchedulerLoop;
import io.nereid.server.telemetry.statistics.StatisticsSnapshot.Batches;
import io.nereid.server.telemetry.statistics.StatisticsSnapshot.DurationSum;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Batches that are started while others are in flight, on a device that the test moves on. */
@Timeout(120)
class PipelinedInstanceTest extends GroupUnderTest {
  private static final ModelKey KEY = new ModelKey("m", 1);

  private @Nullable FakeDevice device;
  private @Nullable InstanceGroup group;
  private @Nullable SchedulerLoop scheduler;
  private SchedulingSettings scheduling = new SchedulingSettings.Direct();

  private FakeDevice device(int depth) {
    device = new FakeDevice(depth);
    return device;
  }

  private void serve(String... instances) {
    FakeDevice model = Objects.requireNonNull(device);
    ModelConfig config = config();
    group =
        InstanceGroup.open(
            InstanceGroup.Settings.of(config, model, pool, clock::nanos, statistics),
            Stream.of(instances).map(FakeModel::instance).toList());
    scheduler = SchedulerLoop.start(KEY, config, model, group, clock, 64, DecisionJournal.NONE);
  }

  private ModelConfig config() {
    return ModelConfig.of("m", "b")
        .withSignature(8, List.of(TensorConfig.of("IN", DataType.INT32, Shape.of(1))), List.of())
        .withScheduling(scheduling);
  }

  @AfterEach
  void closeAll() {
    if (device != null && group != null) {
      device.passAll();
      group.close();
      assertThat(device.closed).hasValue(device.opened.get());
    }
  }

  private TestRequest send(String id) {
    TestRequest request =
        TestRequest.of(pool, id, 1, Tensors.ints("IN", Shape.of(1, 1), id.hashCode()));
    Objects.requireNonNull(scheduler).submit(request.pending());
    return request;
  }

  private static void assertAnswered(TestRequest... requests) {
    for (TestRequest request : requests) {
      request.outcome().response().close();
      assertThat(request.ended()).hasValue(1);
    }
  }

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

    assertThat(Objects.requireNonNull(group).busy()).isZero();
  }

  @Test
  void anInstanceWithABatchInFlightIsBusy() {
    FakeDevice device = device(2);
    serve("m_0");
    device.read(10);
    TestRequest a = send("a");
    device.awaitStarted();
    device.awaitAsked();

    assertThat(Objects.requireNonNull(group).busy()).isEqualTo(1);

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
        InstanceGroup.Settings.of(
            dependent.apply(config()), device, pool, clock::nanos, statistics);
    try (InstanceGroup driven = openDriven(shared, FakeModel.instance("m_0"))) {
      driven.execution(0).add(TestRequest.of(pool, "a", 1).pending());
      driven.dispatch(0);
    }
    assertThat(device.executed).hasValue(1);
    assertThat(device.started).isEmpty();
  }

  @Test
  void executesBatchesOneByOneUnderARateLimiter() {
    FakeDevice device = device(2);
    var plain = InstanceGroup.Settings.of(config(), device, pool, clock::nanos, statistics);
    var limited =
        new InstanceGroup.Settings(
            config(),
            device,
            pool,
            pool,
            clock::nanos,
            statistics,
            Map.of(),
            new ExecutionCountLimiter(List.of()),
            plain.hostPolicies(),
            plain.warmup());
    try (InstanceGroup driven = openDriven(limited, FakeModel.instance("m_0"))) {
      driven.wake(0);
      await(() -> !ready.isEmpty());
      driven.execution(0).add(TestRequest.of(pool, "a", 1).pending());
      driven.dispatch(0);
      await(() -> device.executed.get() == 1);
    }
    assertThat(device.started).isEmpty();
  }

  @Test
  void aBatchThatFailsToStartLeavesTheOthersInFlight() {
    FakeDevice device = device(2).failingToStart("b", FakeDevice.failure("no memory"));
    serve("m_0");
    device.read(10);
    TestRequest a = send("a");
    assertThat(device.awaitStarted()).containsExactly("a");
    TestRequest b = send("b");

    assertThat(b.outcome().failure()).hasMessage("no memory");
    assertThat(a.outcome().calls()).isZero();
    TestRequest c = send("c");
    assertThat(device.awaitStarted()).containsExactly("b");
    assertThat(device.awaitStarted()).containsExactly("c");
    device.complete(2);
    assertAnswered(a, c);
  }

  @Test
  void aBatchThatFailsToFinishLeavesTheOthersInFlight() {
    FakeDevice device = device(2).failingToFinish("a", new IllegalStateException("lost"));
    serve("m_0");
    device.read(10);
    TestRequest a = send("a");
    TestRequest b = send("b");
    device.awaitStarted();
    device.awaitStarted();

    device.complete(1);

    assertThat(a.outcome().failure()).hasMessageContaining("lost");
    assertThat(b.outcome().calls()).isZero();
    device.complete(1);
    assertAnswered(b);
  }

  @Test
  void anInstanceThatIsNotHealthyAfterAFailureFinishesItsBatchesAndGetsNoOther() {
    FakeDevice device = device(2).failingToFinish("a", FakeDevice.failure("lost"));
    serve("m_0");
    device.read(10);
    TestRequest a = send("a");
    TestRequest b = send("b");
    TestRequest c = send("c");
    device.awaitStarted();
    device.awaitStarted();
    device.healthy = false;

    device.complete(2);

    assertThat(a.outcome().failure()).hasMessage("lost");
    assertAnswered(b);
    String reason = "model 'm' is unavailable since instance 'm_0' failed: lost";
    assertThat(c.outcome().failure()).hasMessage(reason);
    assertThat(device.started).isEmpty();
    assertThat(Objects.requireNonNull(group).failure()).hasMessage(reason);
  }

  @Test
  void aCancellationConcernsItsBatchAlone() {
    Set<String> cancelled = new HashSet<>();
    FakeDevice device =
        device(2)
            .onStart((batch, _) -> {
              String id = batch.request(0).id();
              batch.onCancel(() -> cancelled.add(id));
            })
            .onFinish((batch, _) ->
                assertThat(batch.isCancelled()).isEqualTo(batch.request(0).id().equals("b")));
    serve("m_0");
    device.read(10);
    TestRequest a = send("a");
    TestRequest b = send("b");
    device.awaitStarted();
    device.awaitStarted();

    b.pending().promise().cancel();

    assertThat(cancelled).containsExactly("b");
    device.complete(2);
    assertAnswered(a);
    await(() -> b.ended().get() == 1);
  }

  @Test
  void aBatchIsOverForTheBackendOnceItIsFinished() {
    List<Runnable> uses = new ArrayList<>();
    var late = new AtomicInteger();
    FakeDevice device =
        device(2)
            .onStart((batch, results) -> {
              uses.add(batch::rows);
              uses.add(results::computeStarted);
            })
            .onFinish((batch, _) -> {
              for (Runnable use : uses) {
                try {
                  use.run();
                } catch (IllegalStateException over) {
                  late.incrementAndGet();
                }
              }
            });
    serve("m_0");
    device.read(10);
    TestRequest a = send("a");
    TestRequest b = send("b");
    device.awaitStarted();
    device.awaitStarted();

    device.complete(2);

    assertAnswered(a, b);
    assertThat(late).hasValue(2); // in the finish of b, those of a
  }

  @Test
  void eachBatchInFlightGathersItsInputsInMemoryOfItsOwn() {
    List<MemorySegment> gathered = new ArrayList<>();
    FakeDevice device =
        device(2).onStart((batch, _) -> gathered.add(batch.gathered("IN").orElseThrow().data()));
    scheduling = BatchingSettings.of(List.of(2), 1_000_000);
    serve("m_0");
    device.read(10);
    List<TestRequest> sent = Stream.of("a", "b", "c", "d").map(this::send).toList();
    assertThat(device.awaitStarted()).containsExactly("a", "b");
    assertThat(device.awaitStarted()).containsExactly("c", "d");

    assertThat(gathered.getFirst().asOverlappingSlice(gathered.getLast())).isEmpty();

    device.complete(2);
    assertAnswered(sent.toArray(TestRequest[]::new));
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
    await(() -> closer.getState() == Thread.State.WAITING);
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

  @Test
  void countsTheRequestsOfAllBatchesInFlightAsExecuting() {
    FakeDevice device = device(2);
    serve("m_0");
    device.read(10);
    TestRequest a = send("a");
    TestRequest b = send("b");
    device.awaitStarted();
    device.awaitStarted();

    assertThat(statistics.snapshot(5).pending()).isEqualTo(3);

    device.complete(1);
    assertAnswered(a);
    device.complete(1);
    assertAnswered(b);
  }

  @Test
  void dividesTheTimeOfABatchAsItsDeviceMeasuredIt() {
    FakeDevice device =
        device(2)
            .onFinish((batch, results) -> {
              clock.advance(Duration.ofNanos(100));
              results.computed(30, 10);
            });
    serve("m_0");
    device.read(10);
    TestRequest a = send("a");
    TestRequest b = send("b");
    device.awaitStarted();
    device.awaitStarted();

    device.complete(2);

    assertAnswered(a, b);
    awaitParked("instance m_0");
    assertThat(statistics.snapshot(0).batches())
        .containsExactly(
            Map.entry(
                1L,
                new Batches(
                    new DurationSum(2, 60 + 160), new DurationSum(2, 60), new DurationSum(2, 20))));
  }

  @Test
  void keepsTheOrderOfResponsesWhereTheModelPreservesIt() {
    FakeDevice device = device(2).failingToStart("b", FakeDevice.failure("no memory"));
    scheduling = new BatchingSettings(List.of(1), 0, true, 0, 0, QueuePolicy.NONE, Map.of());
    serve("m_0");
    device.read(10);
    TestRequest a = send("a");
    TestRequest b = send("b");
    device.awaitStarted();
    device.awaitStarted();
    assertThat(b.outcome().calls()).isZero();

    device.complete(1);

    assertAnswered(a);
    assertThat(b.outcome().failure()).hasMessage("no memory");
  }
}
