package io.nereid.engine.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.ModelRequest;
import io.nereid.engine.ModelResponse;
import io.nereid.engine.call.ScriptedBackend.Script;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.CallResponse;
import io.nereid.spi.CallResponses;
import io.nereid.spi.ModelCall;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Calls that are cancelled, or late, or of an engine that stops. */
class CallEndsTest extends HeldModels {
  /** Calls a model, and notes why that has failed. */
  private static Script noting(CompletableFuture<InferenceException> failure) {
    return (batch, results) -> {
      try {
        passingTo("inner").execute(batch, results);
      } catch (InferenceException failed) {
        failure.complete(failed);
        throw failed;
      }
    };
  }

  @Test
  void aClientThatLeavesCancelsTheCalls() throws Exception {
    var failure = new CompletableFuture<InferenceException>();
    model("outer", "inner", noting(failure));
    heldUntilCancelled("inner");
    open();

    CompletableFuture<ModelResponse> sent = engine().inferAsync(request("outer", 1));
    begun.await();
    sent.cancel(true);

    assertThat(seen(toldOfCancellation)).isTrue();
    assertThat(seen(failure).code()).isEqualTo(StatusCode.CANCELLED);
  }

  @Test
  void aCallThatWaitsInAQueueIsCancelledToo() throws Exception {
    var failure = new CompletableFuture<InferenceException>();
    var called = new CountDownLatch(1);
    model(
        "outer",
        "inner",
        (batch, _) -> {
          CompletableFuture<CallResponse> future =
              batch.calls(0).inferAsync(call("inner", batch).build());
          called.countDown();
          try {
            future.get();
          } catch (ExecutionException failed) {
            failure.complete((InferenceException) failed.getCause());
          }
        });
    heldAtTheGate("inner");
    open();

    CompletableFuture<ModelResponse> other = engine().inferAsync(request("inner", 1));
    begun.await();
    CompletableFuture<ModelResponse> sent = engine().inferAsync(request("outer", 1));
    called.await();
    sent.cancel(true);

    assertThat(seen(failure).code()).isEqualTo(StatusCode.CANCELLED);
    gate.countDown();
    other.join().close();
  }

  @Test
  void aRequestThatIsCancelledBeforeItCallsDoesNotCall() throws Exception {
    var failure = new CompletableFuture<InferenceException>();
    var executions = new AtomicInteger();
    model(
        "outer",
        "inner",
        (batch, _) -> {
          begun.countDown();
          gate.await();
          try {
            batch.calls(0).infer(call("inner", batch).build());
          } catch (InferenceException cancelled) {
            failure.complete(cancelled);
          }
        });
    model("inner", "", (_, _) -> executions.incrementAndGet());
    open();

    CompletableFuture<ModelResponse> sent = engine().inferAsync(request("outer", 1));
    begun.await();
    sent.cancel(true);
    gate.countDown();

    assertThat(seen(failure).code()).isEqualTo(StatusCode.CANCELLED);
    assertThat(executions).hasValue(0);
  }

  @Test
  void aCancelledCallReturnsOnceItsInputsAreNotRead() throws Exception {
    var returned = new CompletableFuture<Boolean>();
    model(
        "outer",
        "inner",
        (batch, _) -> {
          try {
            batch.calls(0).infer(call("inner", batch).build());
          } catch (InferenceException cancelled) {
            returned.complete(gate.getCount() == 0);
          }
        });
    heldAtTheGate("inner");
    open();

    CompletableFuture<ModelResponse> sent = engine().inferAsync(request("outer", 1));
    begun.await();
    sent.cancel(true);
    assertThat(returned).isNotDone();
    gate.countDown();

    assertThat(seen(returned)).as("behind the execution").isTrue();
  }

  @Test
  void theDeadlineOfTheRequestIsThatOfItsCalls() throws IOException {
    var failure = new CompletableFuture<InferenceException>();
    model("outer", "inner", noting(failure));
    heldUntilCancelled("inner");
    open();

    ModelRequest request =
        ModelRequest.to("outer")
            .input("IN", Shape.of(1), 1)
            .timeout(Duration.ofMillis(100))
            .build();
    assertFails(StatusCode.DEADLINE_EXCEEDED, "", () -> engine().infer(request));

    assertThat(seen(failure).code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
  }

  @Test
  void aCallMayHaveATimeoutOfItsOwn() throws IOException {
    model(
        "outer",
        "inner",
        (batch, results) -> {
          ModelCall call = call("inner", batch).timeout(Duration.ofMillis(50)).build();
          assertFails(
              StatusCode.DEADLINE_EXCEEDED,
              "model 'outer' called model 'inner': the deadline has passed",
              () -> batch.calls(0).infer(call));
          adding(1).execute(batch, results);
        });
    heldUntilCancelled("inner");
    open();

    assertThat(infer("outer", 1)).containsExactly(2);
  }

  @Test
  void aFutureMayHaveATimeoutToo() throws IOException {
    model(
        "outer",
        "inner",
        (batch, results) -> {
          ModelCall call = call("inner", batch).timeout(Duration.ofMillis(50)).build();
          CompletableFuture<CallResponse> future = batch.calls(0).inferAsync(call);
          assertThatExceptionOfType(CompletionException.class)
              .isThrownBy(future::join)
              .withMessageContaining("the deadline has passed");
          adding(1).execute(batch, results);
        });
    heldUntilCancelled("inner");
    open();

    assertThat(infer("outer", 1)).containsExactly(2);
  }

  @Test
  void aStreamMayHaveATimeoutToo() throws IOException {
    model(
        "outer",
        "inner",
        (batch, results) -> {
          ModelCall call = call("inner", batch).timeout(Duration.ofMillis(50)).build();
          try (CallResponses responses = batch.calls(0).stream(call)) {
            assertFails(StatusCode.DEADLINE_EXCEEDED, "the deadline has passed", responses::next);
          }
          adding(1).execute(batch, results);
        });
    heldUntilCancelled("inner");
    open();

    assertThat(infer("outer", 1)).containsExactly(2);
  }

  @Test
  void aFutureThatIsCancelledCancelsItsCall() throws IOException {
    model(
        "outer",
        "inner",
        (batch, results) -> {
          CompletableFuture<CallResponse> future =
              batch.calls(0).inferAsync(call("inner", batch).build());
          begun.await();
          future.cancel(true);
          assertThatExceptionOfType(CancellationException.class).isThrownBy(future::join);
          adding(1).execute(batch, results);
        });
    heldUntilCancelled("inner");
    open();

    assertThat(infer("outer", 1)).containsExactly(2);
    assertThat(seen(toldOfCancellation)).isTrue();
  }

  @Test
  void aThreadThatIsInterruptedCancelsItsCall() throws IOException {
    model(
        "outer",
        "inner",
        (batch, results) -> {
          Thread.currentThread().interrupt();
          assertFails(
              StatusCode.CANCELLED, "", () -> batch.calls(0).infer(call("inner", batch).build()));
          assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
          adding(1).execute(batch, results);
        });
    heldUntilCancelled("inner");
    open();

    assertThat(infer("outer", 1)).containsExactly(2);
  }

  @Test
  void callsOfRequestsInFlightFinishWhenTheEngineStops() throws Exception {
    var inCall = new CountDownLatch(1);
    model(
        "outer",
        "inner",
        (batch, results) -> {
          inCall.countDown();
          gate.await();
          pass(batch.calls(0).infer(call("inner", batch).build()), results);
        });
    model("inner", "", adding(1));
    open();

    CompletableFuture<ModelResponse> sent = engine().inferAsync(request("outer", 1));
    inCall.await();
    CompletableFuture<Void> stopping = CompletableFuture.runAsync(this::stop);
    while (engine().isReady()) {
      Thread.onSpinWait();
    }
    gate.countDown();

    try (ModelResponse response = sent.join()) {
      assertThat(response.ints("OUT")).containsExactly(2);
    }
    stopping.join();
  }
}
