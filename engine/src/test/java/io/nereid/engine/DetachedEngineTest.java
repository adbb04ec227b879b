package io.nereid.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.engine.telemetry.statistics.FailureReason;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.DetachedRequest;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Detached requests of a whole engine: unloads, deadlines, ensembles and the response cache. */
@Timeout(120)
class DetachedEngineTest {
  private static final String MODEL =
      """
      backend: "later"
      input { name: "IN" data_type: TYPE_INT32 dims: [ -1 ] }
      output { name: "OUT" data_type: TYPE_INT32 dims: [ -1 ] }
      instance_group { count: 1 kind: KIND_CPU }
      """;

  @TempDir Path repository;

  private final CheckedBufferPool pool = new CheckedBufferPool();
  private @Nullable Engine engine;

  private Engine open(String... models) throws IOException {
    EngineSettings settings =
        Engine.builder()
            .repository(repository)
            .startWith(models)
            .cacheSetting("local", "size", "1048576")
            .settings();
    engine = Engine.start(new EngineParts(settings, pool, () -> true));
    return engine;
  }

  @AfterEach
  void close() {
    Objects.requireNonNull(engine).close();
    assertThat(LaterBackend.LOADED).hasValue(0);
    assertThat(LaterBackend.isEmpty()).isTrue();
    assertThat(pool.outstanding()).as("leases that were not released").isZero();
  }

  private static ModelRequest.Builder request(String model, int... values) {
    return ModelRequest.to(model).input("IN", Shape.of(values.length), values);
  }

  private static int[] ints(CompletableFuture<ModelResponse> answered) {
    try (ModelResponse response = answered.join()) {
      return response.ints("OUT");
    }
  }

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      LockSupport.parkNanos(100_000);
      assertThat(Thread.interrupted()).as("the test has timed out").isFalse();
    }
  }

  @Test
  void anUnloadWaitsForDetachedRequests() throws IOException {
    ModelOnDisk.of(repository, "m", MODEL);
    Engine serving = open("m");
    var answered = serving.inferAsync(request("m", 1, 2).build());
    DetachedRequest later = LaterBackend.take();

    serving.unload("m");

    assertThat(serving.index())
        .singleElement()
        .satisfies(row -> assertThat(row.state().orElseThrow()).hasToString("UNLOADING"));
    assertThat(LaterBackend.LOADED).hasValue(1);
    LaterBackend.answer(later);
    assertThat(ints(answered)).containsExactly(1, 2);
    await(() -> LaterBackend.LOADED.get() == 0);
  }

  @Test
  void aRequestThatWasDetachedBeforeAReloadIsAnsweredByTheFormerLoad() throws IOException {
    ModelOnDisk model = ModelOnDisk.of(repository, "m", MODEL);
    Engine serving = open("m");
    var before = serving.inferAsync(request("m", 1).build());
    DetachedRequest ofFormer = LaterBackend.take();
    model.withDirectory("2");

    serving.load("m");

    var after = serving.inferAsync(request("m", 2).build());
    DetachedRequest ofNew = LaterBackend.take();
    assertThat(LaterBackend.LOADED).hasValue(2);
    LaterBackend.answer(ofNew);
    assertThat(ints(after)).containsExactly(2);
    LaterBackend.answer(ofFormer);
    assertThat(ints(before)).containsExactly(1);
    await(() -> LaterBackend.LOADED.get() == 1);
  }

  @Test
  void theCloseOfTheEngineWaitsForDetachedRequests() throws Exception {
    ModelOnDisk.of(repository, "m", MODEL);
    Engine serving = open("m");
    var answered = serving.inferAsync(request("m", 3).build());
    DetachedRequest later = LaterBackend.take();
    Thread closer = Thread.ofPlatform().start(serving::close);
    await(() -> !serving.isReady());

    assertThat(closer.join(Duration.ofMillis(50))).isFalse();
    LaterBackend.answer(later);
    closer.join();
    assertThat(ints(answered)).containsExactly(3);
  }

  @Test
  void aTimeoutCancelsADetachedRequestWhoseMemoryStaysUntilItEnds() throws Exception {
    ModelOnDisk.of(repository, "m", MODEL);
    Engine serving = open("m");
    var timeout = Duration.ofMillis(300);
    var answered =
        CompletableFuture.supplyAsync(
            () -> serving.infer(request("m", 1).timeout(timeout).build()));
    DetachedRequest later = LaterBackend.take();
    assertThat(later.remaining().orElseThrow()).isPositive().isLessThanOrEqualTo(timeout);
    var cancelled = new CountDownLatch(1);
    later.onCancel(cancelled::countDown);

    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(answered::join)
        .havingCause()
        .isInstanceOfSatisfying(
            InferenceException.class,
            failure -> assertThat(failure.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED));

    assertThat(cancelled.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(later.isCancelled()).isTrue();
    assertThat(later.remaining()).contains(Duration.ZERO);
    assertThat(pool.outstanding()).isPositive();
    assertThat(later.input("IN")).isPresent();
    later.fail(InferenceException.cancelled());
    await(() -> statistics(serving).failures().getOrDefault(FailureReason.CANCELED, 0L) == 1);
  }

  private static StatisticsSnapshot statistics(Engine serving) {
    return serving.statistics().getFirst();
  }

  @Test
  void theStepsOfAnEnsembleMayBeAnsweredLater() throws IOException {
    ModelOnDisk.of(repository, "m", MODEL);
    ModelOnDisk.of(
        repository,
        "twice",
        """
        platform: "ensemble"
        input { name: "IN" data_type: TYPE_INT32 dims: [ -1 ] }
        output { name: "OUT" data_type: TYPE_INT32 dims: [ -1 ] }
        ensemble_scheduling {
          step {
            model_name: "m" model_version: -1
            input_map { key: "IN" value: "IN" } output_map { key: "OUT" value: "BETWEEN" }
          }
          step {
            model_name: "m" model_version: -1
            input_map { key: "IN" value: "BETWEEN" } output_map { key: "OUT" value: "OUT" }
          }
        }
        """);
    Engine serving = open("m", "twice");
    var answered = serving.inferAsync(request("twice", 4, 5).build());
    LaterBackend.answer(LaterBackend.take());
    DetachedRequest second = LaterBackend.take();
    assertThat(answered).isNotDone();
    LaterBackend.answer(second);
    assertThat(ints(answered)).containsExactly(4, 5);
  }

  @Test
  void responsesKeepTheOrderOfTheirRequestsWhereTheModelWantsThat() throws IOException {
    ModelOnDisk.of(
        repository,
        "m",
        MODEL + "max_batch_size: 1 dynamic_batching { preserve_ordering: true }\n");
    Engine serving = open("m");
    var first = serving.inferAsync(batched(1));
    DetachedRequest laterFirst = LaterBackend.take();
    var second = serving.inferAsync(batched(2));
    DetachedRequest laterSecond = LaterBackend.take();

    LaterBackend.answer(laterSecond);
    assertThat(second).as("behind the first").isNotDone();
    LaterBackend.answer(laterFirst);

    assertThat(ints(first)).containsExactly(1);
    assertThat(ints(second)).containsExactly(2);
  }

  private static ModelRequest batched(int value) {
    return ModelRequest.to("m").input("IN", Shape.of(1, 1), value).build();
  }

  @Test
  void theResponseToADetachedRequestIsCached() throws IOException {
    ModelOnDisk.of(repository, "m", MODEL + "response_cache { enable: true }\n");
    Engine serving = open("m");
    var first = serving.inferAsync(request("m", 6).build());
    LaterBackend.answer(LaterBackend.take());
    assertThat(ints(first)).containsExactly(6);

    assertThat(ints(serving.inferAsync(request("m", 6).build()))).containsExactly(6);
    assertThat(statistics(serving).requests().cacheHit().count()).isEqualTo(1);
  }
}
