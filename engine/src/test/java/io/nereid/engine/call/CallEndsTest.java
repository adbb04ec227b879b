package io.nereid.engine.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.nereid.engine.ModelRequest;
import io.nereid.engine.ModelResponse;
import io.nereid.engine.call.ScriptedBackend.Script;
import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.CallResponse;
import io.nereid.spi.CallResponses;
import io.nereid.spi.ModelCall;
import io.nereid.spi.ModelCalls;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Cancellation, deadlines, and the end of the request. */
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
  void aResponseThatIsClosedEarlyGivesItsMemoryBackAtOnce() throws IOException {
    model(
        "outer",
        "inner",
        (batch, results) -> {
          long before = pool.outstanding();
          CallResponse response = batch.calls(0).infer(call("inner", batch).build());
          assertThat(pool.outstanding()).isEqualTo(before + 1);
          response.close();
          response.close();
          assertThat(pool.outstanding()).isEqualTo(before);
          assertThatIllegalStateException()
              .isThrownBy(response::outputs)
              .withMessage("the response of model 'inner:1' is closed");
          assertThatIllegalStateException().isThrownBy(response::keep);
          adding(1).execute(batch, results);
        });
    model("inner", "", adding(1));
    open();

    assertThat(infer("outer", 1)).containsExactly(2);
  }

  @Test
  void aResponseThatIsNeverClosedIsClosedWithTheRequest() throws IOException {
    var kept = new AtomicReference<CallResponse>();
    model(
        "outer",
        "inner",
        (batch, results) -> {
          kept.set(batch.calls(0).infer(call("inner", batch).build()));
          var _ = batch.calls(0).allocate("inner", 100);
          adding(1).execute(batch, results);
        });
    model("inner", "", adding(1));
    open();

    assertThat(infer("outer", 1)).containsExactly(2);

    assertThat(pool.outstanding()).isZero();
    assertThatIllegalStateException().isThrownBy(kept.get()::outputs);
    kept.get().close();
  }

  @Test
  void aResponseThatIsKeptOutlivesTheRequestUntilItIsReleased() throws IOException {
    var release = new AtomicReference<Runnable>();
    model(
        "outer",
        "inner",
        (batch, results) -> {
          release.set(batch.calls(0).infer(call("inner", batch).build()).keep());
          adding(1).execute(batch, results);
        });
    model("inner", "", adding(1));
    open();

    assertThat(infer("outer", 1)).containsExactly(2);

    assertThat(pool.outstanding()).isEqualTo(1);
    release.get().run();
    release.get().run();
    assertThat(pool.outstanding()).isZero();
  }

  @Test
  void callsThatRunAtTheEndOfTheRequestAreCancelledAndWaitedFor() throws IOException {
    var late = new AtomicReference<CompletableFuture<CallResponse>>();
    model(
        "outer",
        "inner",
        (batch, results) -> {
          late.set(batch.calls(0).inferAsync(call("inner", batch).build()));
          begun.await();
          adding(1).execute(batch, results);
        });
    heldUntilCancelled("inner");
    open();

    try (var log = new LogCapture(OpenCalls.class.getName())) {
      assertThat(infer("outer", 1)).containsExactly(2);

      assertThat(log.messages())
          .containsExactly(
              "[request id: r] model 'outer' has answered while 1 of its calls had not ended; they"
                  + " are cancelled");
    }
    assertThat(late.get()).isCompletedExceptionally();
  }

  @Test
  void aStreamThatIsNotClosedEndsWithTheRequest() throws IOException {
    model(
        "outer",
        "counter",
        (batch, results) -> {
          CallResponses responses = batch.calls(0).stream(call("counter", batch).build());
          var _ = responses.next();
          adding(1).execute(batch, results);
        });
    model(
        "counter",
        "",
        "model_transaction_policy { decoupled: true }",
        (batch, results) -> {
          while (!batch.isCancelled()) {
            adding(0).execute(batch, results);
            results.send(0);
            Thread.sleep(1);
          }
        });
    open();

    assertThat(infer("outer", 1)).containsExactly(2);
  }

  @Test
  void aStreamThatIsNotTakenFailsAndHoldsUpNoOther() throws IOException {
    var sent = new CountDownLatch(1);
    model(
        "outer",
        "counter",
        (batch, results) -> {
          try (CallResponses responses = batch.calls(0).stream(call("counter", batch).build())) {
            sent.await();
            for (int i = 0; i < CallResponses.MAX_WAITING; i++) {
              responses.next().orElseThrow().close();
            }
            assertFails(
                StatusCode.RESOURCE_EXHAUSTED,
                "1024 responses of model 'counter' wait to be taken",
                responses::next);
          }
          adding(1).execute(batch, results);
        });
    model(
        "counter",
        "",
        "model_transaction_policy { decoupled: true }",
        (batch, results) -> {
          for (int i = 0; i <= CallResponses.MAX_WAITING; i++) {
            adding(0).execute(batch, results);
            results.send(0);
          }
          sent.countDown();
        });
    open();

    assertThat(infer("outer", 1)).containsExactly(2);
  }

  @Test
  void theCallsOfARequestThatHasEndedAreOfNoUse() throws IOException {
    var kept = new AtomicReference<ModelCalls>();
    var call = new AtomicReference<ModelCall>();
    model(
        "outer",
        "inner",
        (batch, results) -> {
          kept.set(batch.calls(0));
          call.set(call("inner", batch).build());
          adding(1).execute(batch, results);
        });
    model("inner", "", adding(1));
    open();
    infer("outer", 1);

    String message = "model 'outer' used the calls of a request that has ended";
    assertThatIllegalStateException()
        .isThrownBy(() -> kept.get().infer(ModelCall.to("inner").build()))
        .withMessage(message);
    assertThatIllegalStateException()
        .isThrownBy(() -> kept.get().inferAsync(ModelCall.to("inner").build()))
        .withMessage(message);
    assertThatIllegalStateException()
        .isThrownBy(() -> kept.get().stream(ModelCall.to("inner").build()))
        .withMessage(message);
    assertThatIllegalStateException()
        .isThrownBy(() -> kept.get().allocate("inner", 4))
        .withMessage(message);
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
