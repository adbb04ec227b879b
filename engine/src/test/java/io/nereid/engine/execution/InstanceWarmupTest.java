package io.nereid.engine.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.config.TensorConfig;
import io.nereid.engine.execution.batch.ExecutedModels;
import io.nereid.engine.execution.batch.Tensors;
import io.nereid.engine.execution.ratelimit.RateLimiter;
import io.nereid.engine.execution.warmup.Warmup;
import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.protocol.config.DataType;
import io.nereid.protocol.config.ModelWarmup;
import io.nereid.request.ModelKey;
import io.nereid.spi.DetachedRequest;
import io.nereid.tensor.Shape;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What instances execute before they serve. */
@Timeout(120)
class InstanceWarmupTest extends GroupUnderTest {
  private static final int LOADS = 200;

  private static final ModelConfig CONFIG =
      ModelConfig.of("m", "b")
          .withSignature(
              4,
              List.of(Tensors.config("IN", Shape.of(4), Optional.empty(), false, false)),
              List.of(Tensors.config("OUT", Shape.of(4), Optional.empty(), false, false)));

  /** Echoes IN as OUT. */
  private static final FakeModel.Work ECHO =
      (_, batch, results) -> {
        var in = batch.gathered("IN").orElseThrow();
        results.allocateBatch("OUT", in.dataType(), in.shape()).copyFrom(in.data());
      };

  @TempDir private Path directory;
  private ModelConfig config = CONFIG;
  private final AtomicInteger reads = new AtomicInteger();

  private ModelWarmup sample(String name, int batchSize, int count) {
    var input =
        ModelWarmup.Input.newBuilder()
            .setDataType(DataType.TYPE_INT32)
            .addDims(4)
            .setInputDataFile("data")
            .build();
    return ModelWarmup.newBuilder()
        .setName(name)
        .setBatchSize(batchSize)
        .setCount(count)
        .putInputs("IN", input)
        .build();
  }

  private InstanceGroup.Settings settings(FakeModel model, ModelWarmup... samples)
      throws Exception {
    Path data = directory.resolve("data");
    Files.write(data, new byte[16]);
    Warmup.Files files =
        _ -> {
          reads.incrementAndGet();
          return Optional.of(data);
        };
    var warmup = new Warmup(new ModelKey("m", 1), config, List.of(samples), files);
    return new InstanceGroup.Settings(
        ExecutedModels.of(config, model, pool, clock::nanos, statistics),
        GroupSettings.limits(RateLimiter.OFF),
        warmup);
  }

  private static List<InstanceSettings> instances(String... names) {
    return Stream.of(names).map(name -> FakeModel.instance(name)).toList();
  }

  private void assertFails(FakeModel model, String message) throws Exception {
    var settings = settings(model, sample("s", 2, 2), sample("t", 1, 1));
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> InstanceGroup.open(settings, instances("m_0", "m_1")))
        .withMessage(message)
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT));
  }

  private static long instanceThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("instance m_"))
        .count();
  }

  @Test
  void readsTheDataOfASampleOnceForAllInstances() throws Exception {
    FakeModel model = FakeModel.executing(ECHO);
    try (var _ =
        InstanceGroup.open(
            settings(model, sample("s", 3, 2)), instances("m_0", "m_1", "m_2", "m_3"))) {
      assertThat(model.executions()).hasValue(8);
      assertThat(reads).hasValue(1);
      assertThat(pool.outstanding()).isZero();
    }
  }

  @Test
  void aSampleIsOverOnceItsDetachedRequestsHaveEnded() throws Exception {
    var mostAtOnce = new AtomicInteger();
    var open = new AtomicInteger();
    FakeModel model =
        FakeModel.executing((_, batch, results) -> {
          mostAtOnce.accumulateAndGet(open.addAndGet(batch.size()), Math::max);
          for (int i = 0; i < batch.size(); i++) {
            DetachedRequest later = results.detach(i);
            Thread.ofVirtual()
                .start(() -> {
                  LockSupport.parkNanos(100_000);
                  var in = later.input("IN").orElseThrow();
                  later.allocate("OUT", in.dataType(), in.shape()).copyFrom(in.data());
                  open.decrementAndGet();
                  later.send();
                });
          }
        });
    try (InstanceGroup group =
        InstanceGroup.open(settings(model, sample("s", 3, 20)), instances("m_0"))) {
      assertThat(group.detached()).isZero();
      assertThat(pool.outstanding()).isZero();
    }
    assertThat(model.executions()).hasValue(20);
    assertThat(mostAtOnce).hasValue(3);
  }

  @Test
  void theDetailedLogNamesEachExecution() throws Exception {
    var logger = Logger.getLogger(InstanceWarmup.class.getName());
    logger.setLevel(Level.FINE);
    try (var log = new LogCapture(InstanceWarmup.class.getName());
        var _ =
            InstanceGroup.open(
                settings(FakeModel.executing(ECHO), sample("s", 1, 2)), instances("m_0"))) {
      assertThat(log.messages())
          .containsExactly(
              "model 'm' instance m_0 is running warmup sample 's' for iteration 1",
              "model 'm' instance m_0 is running warmup sample 's' for iteration 2");
    } finally {
      logger.setLevel(null);
    }
  }

  @Test
  void readsNoDataForPassiveInstances() throws Exception {
    FakeModel model = FakeModel.executing(ECHO);
    var passive = List.of(FakeModel.instance("p", true));
    try (var _ = InstanceGroup.open(settings(model, sample("s", 3, 2)), passive)) {
      assertThat(model.executions()).hasValue(0);
      assertThat(reads).hasValue(0);
    }
  }

  @Test
  void failsIfTheBackendThrows() throws Exception {
    assertFails(
        FakeModel.executing(FakeModel.failing(InferenceException.internal("no"))),
        "failed to run warmup sample 's': no; no; ");
    assertFails(
        FakeModel.executing((_, _, _) -> {
          throw new StackOverflowError("deep");
        }),
        "failed to run warmup sample 's': 'm' failed unexpectedly: java.lang.StackOverflowError:"
            + " deep; 'm' failed unexpectedly: java.lang.StackOverflowError: deep; ");
  }

  @Test
  void failsIfASingleRequestOfALaterExecutionFails() throws Exception {
    var executions = new AtomicInteger();
    FakeModel model =
        FakeModel.executing((instance, _, results) -> {
          if (instance.name().equals("m_0") && executions.incrementAndGet() == 2) {
            results.fail(1, InferenceException.invalid("the second"));
          }
        });

    assertFails(model, "failed to run warmup sample 's': the second; ");

    assertThat(executions).hasValue(2); // without sample t
    assertThat(model.closed()).hasValue(2);
  }

  @Test
  void leavesNothingHoweverOftenItFails() throws Exception {
    FakeModel model =
        FakeModel.executing((_, batch, results) -> {
          ECHO.execute(FakeModel.instance("m"), batch, results);
          results.fail(1, InferenceException.invalid("no"));
        });
    for (int i = 0; i < LOADS; i++) {
      assertFails(model, "failed to run warmup sample 's': no; ");

      assertThat(pool.outstanding()).isZero();
      assertThat(pool.heldBytes()).isZero();
      assertThat(instanceThreads()).isZero();
    }
    assertThat(model.opened()).hasValue(2 * LOADS);
    assertThat(model.closed()).hasValue(2 * LOADS);
  }

  @Test
  void warmsUpAnAddedInstanceBeforeItServes() throws Exception {
    Set<String> ran = ConcurrentHashMap.newKeySet();
    FakeModel model = FakeModel.executing((instance, _, _) -> ran.add(instance.name()));
    try (var group = InstanceGroup.open(settings(model, sample("s", 1, 1)), instances("m_0"))) {
      assertThat(ran).containsExactly("m_0");

      group.add(FakeModel.instance("m_1"));

      assertThat(ran).containsExactlyInAnyOrder("m_0", "m_1");
      assertThat(pool.outstanding()).isZero();
    }
  }

  @Test
  void countsTheExecutionsOfInstancesThatAreClosed() throws Exception {
    FakeModel model = FakeModel.executing(FakeModel.EMPTY_RESPONSES);
    try (var group = InstanceGroup.open(settings(model, sample("s", 1, 1)), instances("m_0"))) {
      for (int i = 1; i <= 10; i++) {
        int added = group.add(FakeModel.instance("m_1"));
        group.instance(added).retire();
        await(() -> instanceThreads() == 1);
        assertThat(added).isEqualTo(1);
      }
    }

    assertThat(statistics.snapshot(0, List.of()).requests().success().count()).isEqualTo(11);
  }

  @Test
  void keepsTheOthersIfAnAddedInstanceFails() throws Exception {
    FakeModel model =
        FakeModel.executing((instance, _, results) -> {
          if (instance.name().equals("m_1")) {
            results.fail(0, InferenceException.invalid("not this one"));
          }
        });
    try (var group = InstanceGroup.open(settings(model, sample("s", 1, 1)), instances("m_0"))) {
      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(() -> group.add(FakeModel.instance("m_1")))
          .withMessage("failed to run warmup sample 's': not this one; ");

      assertThat(group.isHealthy()).isTrue();
      assertThat(group.instance(0).isOpen()).isTrue();
      assertThat(group.instance(1).isOpen()).isFalse();
    }
  }

  @Test
  void endsAfterAnExecutionIfAnotherInstanceCannotBeOpened() throws Exception {
    var mayEnd = new CountDownLatch(1);
    var executing = new CountDownLatch(1);
    Runnable failing =
        () -> {
          await(executing);
          throw InferenceException.unavailable("no device");
        };
    FakeModel model =
        FakeModel.opening(
            Map.of("m_0", failing),
            (_, _, _) -> {
              executing.countDown();
              await(mayEnd);
            });
    var settings = settings(model, sample("s", 1, 1000));
    Thread opening = Thread.currentThread();
    Thread releasing =
        Thread.ofPlatform()
            .start(() -> {
              awaitJoining(opening);
              mayEnd.countDown();
            });

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> InstanceGroup.open(settings, instances("m_0", "m_1")))
        .withMessage("no device");

    releasing.join();
    assertThat(model.executions()).hasValue(1);
    assertThat(model.closed()).hasValue(1);
  }

  /** Returns once a thread has stopped all instances of a group and waits for their ends. */
  private static void awaitJoining(Thread thread) {
    while (Stream.of(thread.getStackTrace())
        .noneMatch(frame ->
            frame.getClassName().equals(Instance.class.getName())
                && frame.getMethodName().equals("join"))) {
      Thread.onSpinWait();
    }
  }

  @Test
  void endsARequestThatIsRescheduled() throws Exception {
    config =
        CONFIG.withScheduling(
            new SequenceSettings(1_000_000, List.of(), new Strategy.Direct(0, 0), List.of(), true));
    FakeModel model = FakeModel.executing((_, _, results) -> results.reschedule(0));
    try (var _ = InstanceGroup.open(settings(model, sample("s", 2, 3)), instances("m_0"))) {
      assertThat(model.executions()).hasValue(3);
    }
  }

  @Test
  void theOutputsOfAModelAreRequested() throws Exception {
    Set<String> wanted = ConcurrentHashMap.newKeySet();
    FakeModel model =
        FakeModel.executing((_, _, results) ->
            CONFIG.outputs().stream()
                .map(TensorConfig::name)
                .filter(output -> results.wants(0, output))
                .forEach(wanted::add));
    try (var _ = InstanceGroup.open(settings(model, sample("s", 1, 1)), instances("m_0"))) {
      assertThat(wanted).containsExactly("OUT");
    }
  }
}
