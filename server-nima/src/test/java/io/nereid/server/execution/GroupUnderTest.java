package io.nereid.server.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.request.ModelKey;
import io.nereid.server.execution.ratelimit.RateLimiter;
import io.nereid.server.memory.CheckedBufferPool;
import io.nereid.server.request.PendingRequest;
import io.nereid.server.scheduling.DecisionJournal;
import io.nereid.server.scheduling.FakeClock;
import io.nereid.server.scheduling.Scheduler;
import io.nereid.server.scheduling.Schedulers;
import io.nereid.server.telemetry.statistics.ModelStatistics;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** A group of instances of a {@link FakeModel}, behind a scheduler of its own. */
abstract class GroupUnderTest {
  final CheckedBufferPool pool = new CheckedBufferPool();
  final FakeClock clock = new FakeClock();
  private final ModelStatistics statistics = new ModelStatistics(new ModelKey("m", 1), Map.of());

  /** In front of the group that was opened last. */
  private @Nullable Scheduler scheduler;

  @AfterEach
  void nothingIsLent() {
    assertThat(pool.outstanding()).isZero();
  }

  InstanceGroup open(FakeModel model, String... instances) {
    return open(model, clock::nanos, instances);
  }

  InstanceGroup open(FakeModel model, LongSupplier instancesClock, String... instances) {
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

  TestRequest submit() {
    TestRequest request = TestRequest.of(pool, "r", 1);
    submit(request.pending());
    return request;
  }

  void submit(PendingRequest request) {
    Objects.requireNonNull(scheduler).submit(request);
  }

  static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException stopped) {
      throw new AssertionError(stopped);
    }
  }
}
