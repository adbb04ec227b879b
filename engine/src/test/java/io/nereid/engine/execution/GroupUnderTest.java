package io.nereid.engine.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.engine.execution.batch.ExecutedModels;
import io.nereid.engine.execution.batch.TestRequest;
import io.nereid.engine.execution.ratelimit.RateLimiter;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.scheduling.DecisionJournal;
import io.nereid.engine.scheduling.FakeClock;
import io.nereid.engine.scheduling.Scheduler;
import io.nereid.engine.scheduling.SchedulerLoop;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.telemetry.statistics.ModelStatistics;
import io.nereid.engine.telemetry.statistics.TestStatistics;
import io.nereid.request.ModelKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** Instances of a {@link FakeModel}, behind a scheduler or driven by the test itself. */
public abstract class GroupUnderTest {
  private static final ModelKey KEY = new ModelKey("m", 1);

  final CheckedBufferPool pool = new CheckedBufferPool();
  final FakeClock clock = new FakeClock();
  final ModelStatistics statistics = TestStatistics.of(KEY);

  /** From so many on an instance begins no batch. */
  int maxDetached = InstanceLimits.MAX_DETACHED;

  /** Whether an instance that the test drives hears that requests wait. */
  volatile boolean waiting;

  /** The instances that reported ready to the test. */
  final BlockingQueue<Integer> ready = new LinkedBlockingQueue<>();

  /** The scheduler of the group that was opened last. */
  private @Nullable Scheduler scheduler;

  private final List<InstanceGroup> groups = new ArrayList<>();

  /** Ends the threads of a test that failed before it closed them, which other tests would see. */
  @AfterEach
  void closeGroups() {
    groups.forEach(InstanceGroup::close);
    assertThat(pool.outstanding()).isZero();
  }

  /** Opens instances behind a scheduler; those whose names begin with "passive" are passive. */
  InstanceGroup open(FakeModel model, String... instances) {
    return open(model, clock::nanos, instances);
  }

  /** These settings, with another limiter and another limit of detached requests. */
  static InstanceGroup.Settings limited(
      InstanceGroup.Settings shared, RateLimiter limiter, int maxDetached) {
    return new InstanceGroup.Settings(
        shared.model(),
        new InstanceLimits(limiter, shared.limits().hostPolicies(), maxDetached),
        shared.warmup());
  }

  InstanceGroup open(FakeModel model, LongSupplier instancesClock, String... instances) {
    var config = ModelConfig.of("m", "b");
    List<InstanceSettings> settings =
        Stream.of(instances)
            .map(name -> FakeModel.instance(name, name.startsWith("passive")))
            .toList();
    var shared =
        GroupSettings.of(ExecutedModels.of(config, model, pool, instancesClock, statistics));
    InstanceGroup group =
        InstanceGroup.open(limited(shared, shared.limits().rates(), maxDetached), settings);
    groups.add(group);
    scheduler = SchedulerLoop.start(group, clock, QueueLimits.of(16), DecisionJournal.NONE);
    return group;
  }

  /** Opens instances that the test wakes and dispatches to. */
  InstanceGroup openDriven(InstanceGroup.Settings shared, InstanceSettings... instances) {
    InstanceGroup group = InstanceGroup.open(shared, List.of(instances));
    groups.add(group);
    group.listen(
        new ExecutionListener() {
          @Override
          public boolean hasWaiting() {
            return waiting;
          }

          @Override
          public void ready(int instance) {
            ready.add(instance);
          }

          @Override
          public void cutShort(int instance) {}

          @Override
          public void executed(int instance, long endNanos) {}

          @Override
          public void finished(int instance, long endNanos) {}

          @Override
          public void rescheduled(PendingRequest request) {}
        });
    return group;
  }

  TestRequest submit() {
    return submit(TestRequest.of(pool, "r", 1));
  }

  TestRequest submit(TestRequest request) {
    submit(request.pending());
    return request;
  }

  void submit(PendingRequest request) {
    Objects.requireNonNull(scheduler).submit(request);
  }

  public static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException stopped) {
      throw new AssertionError(stopped);
    }
  }

  public static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      LockSupport.parkNanos(10_000);
      assertThat(Thread.interrupted()).as("the test has timed out").isFalse();
    }
  }

  /** Returns once the thread of that name waits or has ended. */
  public static void awaitParked(String thread) {
    await(() ->
        Thread.getAllStackTraces().keySet().stream()
            .noneMatch(other ->
                other.getName().equals(thread) && other.getState() != Thread.State.WAITING));
  }
}
