package io.nereid.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.Parameter;
import io.nereid.request.SequenceId;
import io.nereid.tck.TckModels;
import io.nereid.tck.gate.Gate;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  @TempDir Path repository;

  private final CheckedBufferPool pool = new CheckedBufferPool();
  private EngineParts parts;
  private Engine engine;

  @BeforeEach
  void open() throws IOException {
    TckModels.extractTo(repository);
    ModelOnDisk.of(
        repository,
        "held",
        """
        backend: "gate"
        input { name: "IN0" data_type: TYPE_UINT8 dims: [ -1 ] }
        output { name: "OUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
        instance_group { count: 1 kind: KIND_CPU }
        """);
    EngineSettings settings =
        Engine.builder()
            .repository(repository)
            .startWith("simple", "repeat", "identity_bytes", "sequence_echo", "held")
            .settings();
    parts = new EngineParts(settings, pool, () -> true);
    engine = Engine.start(parts);
  }

  @AfterEach
  void close() {
    Gate.of("held").openAll();
    engine.close();
    Gate.forget("held");
    assertThat(pool.outstanding()).as("leases that were not released").isZero();
  }

  private static ModelRequest.Builder simple() {
    return ModelRequest.to("simple")
        .input("INPUT0", Shape.of(1, 16), IntStream.range(0, 16).toArray())
        .input("INPUT1", Shape.of(1, 16), new int[16]);
  }

  private static ModelRequest held(Function<ModelRequest.Builder, ModelRequest.Builder> more) {
    return more.apply(
            ModelRequest.to("held")
                .input("IN0", DataType.UINT8, Shape.of(1), MemorySegment.ofArray(new byte[] {1})))
        .build();
  }

  private static void assertFails(StatusCode code, String message, ThrowingCallable call) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(call)
        .withMessageContaining(message)
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(code));
  }

  @Test
  void aRequestOfArraysIsAnswered() {
    try (ModelResponse response = engine.infer(simple().id("7").build())) {
      assertThat(response.ints("OUTPUT0")).isEqualTo(IntStream.range(0, 16).toArray());
      assertThat(response.id()).isEqualTo("7");
      assertThat(response.model().name()).isEqualTo("simple");
      assertThat(response.outputs()).hasSize(2);
    }
  }

  @Test
  void onlyTheOutputsThatAreAskedForAreInTheResponse() {
    try (ModelResponse response = engine.infer(simple().output("OUTPUT1").build())) {
      assertThat(response.outputs()).hasSize(1);
      assertFails(
          StatusCode.INVALID_ARGUMENT,
          "the response of model 'simple' has no output 'OUTPUT0', it has [OUTPUT1]",
          () -> response.ints("OUTPUT0"));
      assertFails(
          StatusCode.INVALID_ARGUMENT,
          "output 'OUTPUT1' of model 'simple' is INT32, not FP32",
          () -> response.floats("OUTPUT1"));
    }
  }

  @Test
  void memoryOfAThreadCanBeAnInputAlsoIfItIsNotAligned() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data = arena.allocate(65).asSlice(1);
      data.fill((byte) 1);
      ModelRequest request =
          ModelRequest.to("simple")
              .input("INPUT0", DataType.INT32, Shape.of(1, 16), data)
              .input("INPUT1", DataType.INT32, Shape.of(1, 16), data)
              .build();
      try (ModelResponse response = engine.infer(request)) {
        assertThat(response.ints("OUTPUT0")).containsOnly(0x02020202);
      }
    }
  }

  /** The execution goes on behind the timeout, and must not read what the caller has freed. */
  @Test
  void anInputMayBeFreedOnceTheCallHasEnded() {
    try (Arena arena = Arena.ofShared()) {
      ModelRequest request =
          ModelRequest.to("held")
              .id("freed")
              .input("IN0", DataType.UINT8, Shape.of(4), arena.allocate(4))
              .timeout(Duration.ofMillis(50))
              .build();
      assertFails(StatusCode.DEADLINE_EXCEEDED, "", () -> engine.infer(request));
    }
    Gate.of("held").openAll();
    engine.infer(held(request -> request)).close();
    assertThat(engine.isReady()).isTrue();
  }

  @Test
  void stringsAreTexts() {
    ModelRequest request =
        ModelRequest.to("identity_bytes").input("INPUT0", Shape.of(2), "ä", "").build();
    try (ModelResponse response = engine.infer(request)) {
      assertThat(response.strings("OUTPUT0")).containsExactly("ä", "");
    }
  }

  @Test
  void aRequestThatIsNotValidHasTheServersText() {
    assertFails(
        StatusCode.NOT_FOUND,
        "Request for unknown model: 'none' is not found",
        () -> engine.infer(ModelRequest.to("none").build()));
    assertFails(
        StatusCode.INVALID_ARGUMENT,
        "expected 2 inputs but got 0 inputs for model 'simple'",
        () -> engine.infer(ModelRequest.to("simple").build()));
  }

  @Test
  void theResponsesOfADecoupledModelComeOneAfterTheOther() {
    ModelRequest request = ModelRequest.to("repeat").input("IN", Shape.of(3), 5, 6, 7).build();
    List<Integer> values = new ArrayList<>();
    try (ModelResponses responses = engine.stream(request)) {
      for (var next = responses.next(); next.isPresent(); next = responses.next()) {
        try (ModelResponse response = next.get()) {
          values.add(response.ints("OUT")[0]);
        }
      }
    }
    assertThat(values).containsExactly(5, 6, 7);
  }

  @Test
  void aStreamThatIsClosedEarlyIsCancelled() {
    ModelRequest request =
        ModelRequest.to("repeat")
            .input("IN", Shape.of(1), 5)
            .parameter("hold", new Parameter.OfBoolean(true))
            .build();
    try (ModelResponses responses = engine.stream(request)) {
      try (ModelResponse first = responses.next().orElseThrow()) {
        assertThat(first.ints("OUT")).containsExactly(5);
      }
    }
    ModelRequest other =
        ModelRequest.to("repeat")
            .input("IN", Shape.of(1), 6)
            .timeout(Duration.ofSeconds(20)) // one that is not cancelled holds the model for 30
            .build();
    try (ModelResponses responses = engine.stream(other)) {
      responses.next().orElseThrow().close();
    }
  }

  @Test
  void responsesThatAreNotTakenEndTheRequestAtTheirLimit() {
    ModelRequest request =
        ModelRequest.to("repeat")
            .input(
                "IN",
                Shape.of(ModelResponses.MAX_WAITING + 1),
                new int[ModelResponses.MAX_WAITING + 1])
            .build();
    try (ModelResponses responses = engine.stream(request)) {
      assertFails(
          StatusCode.RESOURCE_EXHAUSTED,
          "1024 responses of model 'repeat' wait to be taken",
          () -> {
            awaitEnd();
            for (Optional<ModelResponse> next = responses.next();
                next.isPresent();
                next = responses.next()) {
              next.get().close();
            }
          });
    }
  }

  /** Waits until the model's only instance has ended all executions before this one. */
  private void awaitEnd() {
    try (ModelResponses last =
        engine.stream(ModelRequest.to("repeat").input("IN", Shape.of(1), 0).build())) {
      last.next().orElseThrow().close();
    }
  }

  @Test
  void aSequenceBeginsAndEnds() {
    engine.infer(ofSequence(true, false)).close();
    engine.infer(ofSequence(false, true)).close();

    assertFails(
        StatusCode.INVALID_ARGUMENT,
        "must specify the START flag on the first request of the sequence",
        () -> engine.infer(ofSequence(false, false)));
  }

  @Test
  void sequencesThatAreNotWaitedForHaveNotEnded() {
    engine.infer(ofSequence(true, false)).close();
    Thread.currentThread().interrupt();
    assertThat(parts.finishSequences(System.nanoTime() + LONG.toNanos())).isFalse();
    assertThat(Thread.interrupted()).isTrue();
    engine.infer(ofSequence(false, true)).close();
    assertThat(parts.finishSequences(System.nanoTime() + LONG.toNanos())).isTrue();
  }

  private static ModelRequest ofSequence(boolean isFirst, boolean isLast) {
    return ModelRequest.to("sequence_echo")
        .input("INPUT0", Shape.of(1, 1), 7)
        .sequence(new SequenceId.OfNumber(42), isFirst, isLast)
        .build();
  }

  @Test
  void aTimeoutEndsARequestThatRuns() {
    assertFails(
        StatusCode.DEADLINE_EXCEEDED,
        "the timeout of the request has passed: 50 ms",
        () -> engine.infer(held(request -> request.timeout(Duration.ofMillis(50)))));
    engine.infer(simple().timeout(LONG).build()).close();
  }

  @Test
  void anInterruptCancelsARequest() {
    Thread.currentThread().interrupt();
    assertFails(
        StatusCode.CANCELLED,
        "the thread that waited for the response was interrupted",
        () -> engine.infer(held(request -> request)));
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void anInterruptCancelsAStream() {
    try (ModelResponses responses = engine.stream(held(request -> request))) {
      Thread.currentThread().interrupt();
      assertFails(
          StatusCode.CANCELLED,
          "the thread that waited for the response was interrupted",
          responses::next);
    }
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void aDecoupledModelIsRefusedBeforeItExecutesWhereOneResponseIsTaken() {
    ModelRequest request = ModelRequest.to("repeat").input("IN", Shape.of(1), 5).build();
    String reason =
        "model 'repeat' is decoupled, a request has any number of responses: Engine.stream gives them";

    assertFails(StatusCode.UNSUPPORTED, reason, () -> engine.infer(request));
    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(() -> engine.inferAsync(request).join())
        .withMessageContaining(reason);
    assertThat(engine.statistics())
        .filteredOn(each -> each.model().name().equals("repeat"))
        .singleElement()
        .satisfies(each -> assertThat(each.executionCount()).isZero());
  }

  @Test
  void anInputHasAsManyElementsAsItsShape() {
    ModelRequest.Builder request = ModelRequest.to("simple");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> request.input("INPUT0", Shape.of(1, 16), new int[15]))
        .withMessage(
            "model 'simple': the input 'INPUT0' of shape [1,16] has 60 bytes, expected 64");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> request.input("INPUT0", Shape.of(2), "one"))
        .withMessage("model 'simple': the input 'INPUT0' of shape [2] has 1 strings, expected 2");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> request.input("INPUT0", Shape.of(-1, 16), new int[16]))
        .withMessage(
            "model 'simple': the input 'INPUT0' has the shape [-1,16], whose dimensions must all be"
                + " known");
    assertThat(request.input("INPUT0", Shape.of(0, 16), new int[0]).build().inputs()).hasSize(1);
  }

  @Test
  void aFutureGetsTheResponseOrTheFailure() throws Exception {
    try (ModelResponse response = engine.inferAsync(simple().build()).get()) {
      assertThat(response.ints("OUTPUT1")).hasSize(16);
    }
    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(() -> engine.inferAsync(ModelRequest.to("none").build()).join())
        .withCauseInstanceOf(InferenceException.class);
  }

  @Test
  void aFutureThatIsCancelledCancelsItsRequest() {
    CompletableFuture<ModelResponse> future = engine.inferAsync(held(request -> request));
    Gate.of("held").awaitBegun(1);
    CompletableFuture<ModelResponse> queued = engine.inferAsync(held(request -> request.id("q")));

    assertThat(queued.cancel(true)).isTrue();
    Gate.of("held").openAll();
    future.join().close();
    engine.infer(held(request -> request)).close(); // behind it

    assertThat(Gate.of("held").executions()).hasSize(2);
  }

  @Test
  void aFutureEndsBehindTheTimeout() {
    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(
            () -> engine.inferAsync(held(request -> request.timeout(Duration.ofMillis(50)))).join())
        .withCauseInstanceOf(TimeoutException.class);
  }

  @Test
  void modelsAreLoadedAndUnloaded() {
    assertThat(engine.isReady()).isTrue();
    assertThat(engine.isReady("two_outputs")).isFalse();
    engine.load("two_outputs");
    assertThat(engine.isReady("two_outputs")).isTrue();
    assertThat(engine.configuration("two_outputs").name()).isEqualTo("two_outputs");
    engine.unload("two_outputs");
    assertThat(engine.isReady("two_outputs")).isFalse();
    assertThat(engine.index()).extracting(entry -> entry.name()).contains("simple", "two_outputs");
    assertFails(StatusCode.INTERNAL, "failed to load 'none'", () -> engine.load("none"));
  }

  @Test
  void requestsAreCounted() {
    engine.infer(simple().build()).close();
    assertThat(engine.statistics())
        .filteredOn(each -> each.model().name().equals("simple"))
        .singleElement()
        .satisfies(each -> assertThat(each.inferenceCount()).isEqualTo(1));
  }

  @Test
  void aCloseLetsRequestsFinishAndRejectsOthers() throws InterruptedException {
    CompletableFuture<ModelResponse> future = engine.inferAsync(held(request -> request));
    Gate.of("held").awaitBegun(1);
    Thread close = Thread.ofPlatform().start(engine::close);
    while (engine.isReady()) {
      Thread.onSpinWait();
    }
    Gate.of("held").openAll();
    future.join().close();
    close.join();

    engine.close(); // has no effect
    assertFails(
        StatusCode.UNAVAILABLE, "the engine is closed", () -> engine.infer(simple().build()));
    assertFails(
        StatusCode.UNAVAILABLE, "the engine is closed", () -> engine.configuration("simple"));
  }

  @Test
  void responsesThatWereNotClosedAreNamedAtTheEnd() {
    try (var log = new LogCapture(Engine.class.getName())) {
      ModelResponse first = engine.infer(simple().build());
      ModelResponse second = engine.inferAsync(simple().build()).join();
      engine.infer(simple().build()).close();
      engine.close();

      assertThat(log.messages())
          .containsExactly("responses were never closed: 2 of model 'simple'");
      first.close();
      second.close();
      second.close();
    }
  }

  @Test
  void aModelThatCannotBeLoadedEndsTheStartAndEverythingThatWasStarted() throws IOException {
    Files.writeString(
        Files.createDirectories(repository.resolve("broken")).resolve("config.pbtxt"),
        "backend: \"none\"");
    long before = threads();
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(
            () -> Engine.builder().repository(repository).startWith("simple", "broken").open())
        .withMessage(
            "1 of 2 models did not load: broken (at least one version must be available under the"
                + " version policy of model 'broken')");
    assertEnd(before);
  }

  @Test
  void partsThatCannotBeMadeLeaveNothingBehind() {
    long before = threads();
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(
            () -> Engine.builder().repository(repository).cacheSetting("none", "size", "1").open())
        .withMessageContaining("unable to find cache 'none'");
    assertEnd(before);
  }

  /** The platform threads of engines; those of loaders and operations end by themselves. */
  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name ->
            name.equals("clock") || name.equals("trim") || name.startsWith("instance simple"))
        .count();
  }

  /** The clock does not wait for its thread, which ends at once. */
  private static void assertEnd(long threads) {
    long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
    while (threads() > threads && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertThat(threads()).isEqualTo(threads);
  }
}
