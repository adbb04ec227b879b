package io.nereid.engine.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.nereid.engine.Engine;
import io.nereid.engine.call.ScriptedBackend.Script;
import io.nereid.engine.execution.ratelimit.ExecutionCountLimiter;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.CallResponse;
import io.nereid.spi.ModelCall;
import io.nereid.spi.ModelCalls;
import io.nereid.spi.OwnCalls;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls of a model on its own behalf: while it loads, and by threads of its backend. */
@Timeout(120)
class OwnCallsTest extends CallingModels {
  private static final Duration LONG = Duration.ofSeconds(60);
  private final AtomicReference<@Nullable OwnCalls> own = new AtomicReference<>();

  private OwnCalls own() {
    return Objects.requireNonNull(own.get());
  }

  /** A model that names another, whose calls this test makes. */
  private void modelWithCalls(String called, String more) {
    model("outer", called, more, (_, _) -> {});
    ScriptedBackend.onLoad("outer", own::set);
  }

  private static ModelCall call(String model, int value) {
    MemorySegment data = Arena.ofAuto().allocate(4, 64);
    data.set(Elements.INT, 0, value);
    return ModelCall.to(model)
        .input("IN", new Tensor("IN", DataType.INT32, Shape.of(1), data))
        .build();
  }

  private static int infer(ModelCalls calls, int value) {
    try (CallResponse response = calls.infer(call("inner", value))) {
      return response.output("OUT").data().get(Elements.INT, 0);
    }
  }

  /** Does not return before it is cancelled. */
  private static Script heldUntilItIsCancelled(CountDownLatch begun) {
    return (batch, results) -> {
      var cancelled = new CountDownLatch(1);
      batch.onCancel(cancelled::countDown);
      begun.countDown();
      cancelled.await();
      adding(1).execute(batch, results);
    };
  }

  @Test
  void aModelCallsAnotherWhileItLoads() throws IOException {
    var seen = new AtomicInteger();
    model("inner", "", adding(1));
    model("outer", "inner", (_, _) -> {});
    ScriptedBackend.onLoad(
        "outer",
        calls -> {
          try (OwnCalls.Session session = calls.begin(LONG)) {
            seen.set(infer(session, 6));
          }
        });

    open();

    assertThat(seen).hasValue(7);
  }

  @Test
  void threadsOfABackendCallAnotherModelSeveralAtATime() throws Exception {
    model("inner", "", "instance_group { count: 2 kind: KIND_CPU }", adding(1));
    modelWithCalls("inner", "");
    open();

    CompletableFuture<Integer> other =
        CompletableFuture.supplyAsync(
            () -> {
              try (OwnCalls.Session session = own().begin(LONG)) {
                return infer(session, 1);
              }
            },
            task -> Thread.ofVirtual().start(task));
    try (OwnCalls.Session session = own().begin(LONG)) {
      try (CallResponse response = session.inferAsync(call("inner", 3)).get(60, TimeUnit.SECONDS)) {
        assertThat(response.output("OUT").data().get(Elements.INT, 0)).isEqualTo(4);
      }
      assertThat(infer(session, 5)).isEqualTo(6);
    }
    assertThat(other.get(60, TimeUnit.SECONDS)).isEqualTo(2);
  }

  @Test
  void aCalledModelIsReplacedOnceTheSessionIsClosed() throws Exception {
    model("inner", "", adding(1));
    modelWithCalls("inner", "");
    open();
    OwnCalls.Session session = own().begin(LONG);
    assertThat(infer(session, 1)).isEqualTo(2);

    model("inner", "", "parameters { key: \"release\" value { string_value: \"2\" } }", adding(10));
    engine().load("inner");

    session.close();
    try (OwnCalls.Session next = own().begin(LONG)) {
      assertThat(infer(next, 1)).isEqualTo(11);
    }
  }

  @Test
  void aModelThatTheConfigurationDoesNotNameIsNotCalled() throws IOException {
    model("inner", "", adding(1));
    model("unnamed", "", adding(1));
    modelWithCalls("inner", "");
    open();

    try (OwnCalls.Session session = own().begin(LONG)) {
      assertFails(
          StatusCode.INTERNAL,
          "model 'outer' calls model 'unnamed', which its configuration does not name",
          () -> session.infer(call("unnamed", 1)));
    }
  }

  @Test
  void anInstanceThatHoldsResourcesMakesTheModelNoCaller() throws IOException {
    model("inner", "", adding(1));
    modelWithCalls(
        "inner",
        "instance_group { count: 1 kind: KIND_CPU rate_limiter { resources { name: \"r\" count: 1 }"
            + " } }");
    open(Engine.builder().rateLimiter(new ExecutionCountLimiter(List.of())));

    try (OwnCalls.Session session = own().begin(LONG)) {
      assertFails(
          StatusCode.INTERNAL,
          "holds resources of the rate limiter",
          () -> session.infer(call("inner", 1)));
    }
  }

  @Test
  void aCallEndsAtTheDeadlineOfItsSession() throws IOException {
    model("inner", "", heldUntilItIsCancelled(new CountDownLatch(1)));
    modelWithCalls("inner", "");
    open();

    try (OwnCalls.Session session = own().begin(Duration.ofMillis(20))) {
      assertFails(
          StatusCode.DEADLINE_EXCEEDED,
          "model 'outer' called model 'inner': the deadline has passed",
          () -> session.infer(call("inner", 1)));
    }
    assertThatIllegalArgumentException().isThrownBy(() -> own().begin(Duration.ZERO));
  }

  @Test
  void theUnloadOfAModelCancelsItsCallsAndItBeginsNoOthers() throws Exception {
    var begun = new CountDownLatch(1);
    model("inner", "", heldUntilItIsCancelled(begun));
    modelWithCalls("inner", "");
    open();
    OwnCalls.Session session = own().begin(LONG);
    CompletableFuture<CallResponse> running = session.inferAsync(call("inner", 1));
    begun.await();

    engine().unload("outer");
    awaitUnavailable();

    assertThat(running)
        .failsWithin(Duration.ofSeconds(60))
        .withThrowableThat()
        .havingRootCause()
        .satisfies(failure ->
            assertThat(((InferenceException) failure).code()).isEqualTo(StatusCode.CANCELLED));
    session.close();
    assertThatIllegalStateException().isThrownBy(() -> infer(session, 1));
  }

  private void awaitUnavailable() throws InterruptedException {
    while (true) {
      try {
        own().begin(LONG).close();
      } catch (InferenceException closing) {
        assertThat(closing)
            .hasMessage("model 'outer' cannot call others: it is being closed")
            .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE));
        return;
      }
      Thread.sleep(1);
    }
  }

  @Test
  void whatASessionLeavesOpenEndsWithTheModel() throws IOException {
    model("inner", "", adding(1));
    modelWithCalls("inner", "");
    open();
    OwnCalls.Session session = own().begin(LONG);
    var _ = session.infer(call("inner", 1));
    var _ = session.allocate("inner", 1_000);

    stop(); // and no lease is left, see close()

    assertThatIllegalStateException().isThrownBy(() -> infer(session, 1));
  }

  @Test
  void whatAFailedLoadLeavesOpenEndsWithIt() throws IOException {
    model("inner", "", adding(1));
    model("outer", "inner", (_, _) -> {});
    ScriptedBackend.onLoad(
        "outer",
        calls -> {
          var _ = calls.begin(LONG).infer(call("inner", 1));
          throw InferenceException.invalid("the vocabulary is odd");
        });

    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(this::open)
        .withMessageContaining("the vocabulary is odd");
  }

  @Test
  void aModelHasAThousandSessionsAtMost() throws IOException {
    model("inner", "", adding(1));
    modelWithCalls("inner", "");
    open();
    for (int i = 1; i < OwnCalls.MAX_SESSIONS; i++) {
      own().begin(LONG);
    }
    OwnCalls.Session last = own().begin(LONG);

    assertFails(
        StatusCode.RESOURCE_EXHAUSTED,
        "model 'outer' has 1000 sessions of calls open, which is the most; close them",
        () -> own().begin(LONG));

    last.close();
    own().begin(LONG).close();
  }
}
