package io.nereid.engine.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.nereid.engine.Engine;
import io.nereid.engine.ModelRequest;
import io.nereid.engine.ModelResponse;
import io.nereid.engine.execution.ratelimit.ExecutionCountLimiter;
import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.InferenceRequest;
import io.nereid.spi.CallResponse;
import io.nereid.spi.DetachedRequest;
import io.nereid.spi.ModelCalls;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls on behalf of a request that is answered later than its execution returns. */
@Timeout(120)
class DetachedCallsTest extends HeldModels {
  private final CompletableFuture<DetachedRequest> detached = new CompletableFuture<>();

  private static int[] ints(CompletableFuture<ModelResponse> sent) {
    try (ModelResponse response = seen(sent)) {
      return response.ints("OUT");
    }
  }

  /** Detaches the request, which the test answers. */
  private void outerForTheTest() {
    model("outer", "inner", (_, results) -> detached.complete(results.detach(0)));
  }

  @Test
  void aRequestThatWaitsForACallDoesNotKeepItsInstance() throws Exception {
    model(
        "outer",
        "inner",
        (batch, results) -> {
          if (batch.request(0).id().equals("short")) {
            adding(10).execute(batch, results);
          } else {
            later(answeringFrom("inner")).execute(batch, results);
          }
        });
    heldAtTheGate("inner");
    open();

    CompletableFuture<ModelResponse> waiting = engine().inferAsync(request("outer", 1));
    begun.await();
    ModelRequest next = ModelRequest.to("outer").id("short").input("IN", Shape.of(1), 1).build();
    try (ModelResponse response = engine().infer(next)) {
      assertThat(response.ints("OUT")).containsExactly(11);
    }

    assertThat(waiting).isNotDone();
    gate.countDown();
    assertThat(ints(waiting)).containsExactly(2);
  }

  @Test
  void whatCompletesACallMayAnswerTheRequest() throws IOException {
    model(
        "outer",
        "inner",
        (_, results) -> {
          DetachedRequest request = results.detach(0);
          var _ =
              request
                  .calls()
                  .inferAsync(call("inner", request))
                  .thenAccept(response -> {
                    request.give(response.output("OUT"), response.keep());
                    request.send();
                  });
        });
    model("inner", "", adding(1));
    open();

    for (int i = 0; i < 100; i++) {
      assertThat(infer("outer", i)).containsExactly(i + 1);
    }
  }

  @Test
  void aCallAfterTheExecutionHasWhatTheRequestHas() throws Exception {
    var seen = new CompletableFuture<InferenceRequest>();
    outerForTheTest();
    model(
        "inner",
        "",
        (batch, results) -> {
          seen.complete(batch.request(0));
          adding(1).execute(batch, results);
        });
    open();

    ModelRequest request =
        ModelRequest.to("outer").id("the id").input("IN", Shape.of(1), 1).priority(7).build();
    CompletableFuture<ModelResponse> sent = engine().inferAsync(request);
    DetachedRequest later = seen(detached);
    assertThat(later.calls()).isSameAs(later.calls());
    answeringFrom("inner").answer(later);

    assertThat(ints(sent)).containsExactly(2);
    assertThat(seen(seen).id()).isEqualTo("the id");
    assertThat(seen(seen).options().priority()).isEqualTo(7);
  }

  @Test
  void theDeadlineOfTheRequestIsThatOfACallAfterItsExecution() throws IOException {
    var failure = new CompletableFuture<InferenceException>();
    model("outer", "inner", later(noting(failure)));
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

  private static Answer noting(CompletableFuture<InferenceException> failure) {
    return request -> {
      try {
        answeringFrom("inner").answer(request);
      } catch (InferenceException failed) {
        failure.complete(failed);
        throw failed;
      }
    };
  }

  @Test
  void aClientThatLeavesCancelsACallAfterTheExecution() throws Exception {
    var failure = new CompletableFuture<InferenceException>();
    model("outer", "inner", later(noting(failure)));
    heldUntilCancelled("inner");
    open();

    CompletableFuture<ModelResponse> sent = engine().inferAsync(request("outer", 1));
    begun.await();
    sent.cancel(true);

    assertThat(seen(toldOfCancellation)).isTrue();
    assertThat(seen(failure).code()).isEqualTo(StatusCode.CANCELLED);
  }

  @Test
  void aRequestThatIsCancelledCallsNoMore() throws IOException {
    var executions = new AtomicInteger();
    outerForTheTest();
    model("inner", "", (_, _) -> executions.incrementAndGet());
    open();

    CompletableFuture<ModelResponse> sent = engine().inferAsync(request("outer", 1));
    DetachedRequest later = seen(detached);
    ModelCalls before = later.calls();
    sent.cancel(true);

    assertFails(StatusCode.CANCELLED, "", () -> before.infer(call("inner", later)));
    later.fail(InferenceException.cancelled());
    assertThat(executions).hasValue(0);
  }

  @Test
  void callsThatAreAskedForBehindACancellationAreCancelled() throws IOException {
    outerForTheTest();
    model("inner", "", adding(1));
    open();

    CompletableFuture<ModelResponse> sent = engine().inferAsync(request("outer", 1));
    DetachedRequest later = seen(detached);
    sent.cancel(true);

    assertFails(StatusCode.CANCELLED, "", () -> later.calls().infer(call("inner", later)));
    later.fail(InferenceException.cancelled());
  }

  @Test
  void aRequestThatEndsWhileACallRunsIsAnsweredOnceThatReadsItsInputsNoMore() throws Exception {
    outerForTheTest();
    heldAtTheGate("inner");
    open();

    try (var log = new LogCapture(OpenCalls.class.getName())) {
      CompletableFuture<ModelResponse> sent = engine().inferAsync(request("outer", 1));
      DetachedRequest later = seen(detached);
      ModelCalls calls = later.calls();
      CompletableFuture<CallResponse> call = calls.inferAsync(call("inner", later));
      begun.await();
      later.fail(InferenceException.notFound("no such row"));

      assertThatIllegalStateException()
          .isThrownBy(() -> calls.allocate("inner", 4))
          .withMessage("model 'outer' used the calls of a request that has ended");
      assertThatIllegalStateException().isThrownBy(later::calls);
      assertThat(sent).isNotDone();
      gate.countDown();
      assertThatExceptionOfType(CompletionException.class)
          .isThrownBy(() -> seen(sent))
          .withMessageContaining("no such row");
      assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> seen(call));
      assertThat(log.messages())
          .containsExactly(
              "[request id: r] model 'outer' has answered while 1 of its calls had not ended; they"
                  + " are cancelled");
    }
  }

  @Test
  void aRequestThatEndsDuringItsExecutionEndsItsCallsToo() throws Exception {
    var ended = new CompletableFuture<Boolean>();
    model(
        "outer",
        "inner",
        (_, results) -> {
          DetachedRequest request = results.detach(0);
          var call = request.calls().inferAsync(call("inner", request));
          begun.await();
          request.fail(InferenceException.notFound("no such row"));
          assertThat(toldOfCancellation).isDone();
          ended.complete(call.handle((_, failed) -> failed != null).join());
        });
    heldUntilCancelled("inner");
    open();

    assertFails(StatusCode.NOT_FOUND, "no such row", () -> infer("outer", 1));
    assertThat(seen(ended)).isTrue();
  }

  @Test
  void whatIsLeftOpenIsClosedWithTheRequest() throws IOException {
    var left = new AtomicReference<CallResponse>();
    model(
        "outer",
        "inner",
        later(request -> {
          left.set(request.calls().infer(call("inner", request)));
          var _ = request.calls().allocate("inner", 100);
          answeringFrom("inner").answer(request);
        }));
    model("inner", "", adding(1));
    open();

    assertThat(infer("outer", 1)).containsExactly(2);

    assertThatIllegalStateException().isThrownBy(left.get()::outputs);
  }

  @Test
  void requestsThatEndAndCancelEachOtherAtTheSameTimeAllEnd() throws Exception {
    var inner = new AtomicReference<CompletableFuture<DetachedRequest>>();
    var outer = new AtomicReference<CompletableFuture<DetachedRequest>>();
    model("outer", "inner", (_, results) -> outer.get().complete(results.detach(0)));
    model("inner", "", (_, results) -> inner.get().complete(results.detach(0)));
    open();

    for (int round = 0; round < 300; round++) {
      inner.set(new CompletableFuture<>());
      outer.set(new CompletableFuture<>());
      CompletableFuture<ModelResponse> sent = engine().inferAsync(request("outer", 1));
      DetachedRequest caller = seen(outer.get());
      var _ =
          caller
              .calls()
              .inferAsync(call("inner", caller))
              .whenComplete((_, _) -> end(caller, "by the call"));
      DetachedRequest called = seen(inner.get());
      called.onCancel(() -> end(called, "by its caller"));
      Thread other = Thread.ofVirtual().start(() -> end(called, "itself"));
      end(caller, "itself");
      other.join();
      assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> seen(sent));
    }
  }

  private static void end(DetachedRequest request, String by) {
    try {
      request.fail(InferenceException.unavailable(by));
    } catch (IllegalStateException ended) {
      assertThat(request.isCancelled()).isTrue();
    }
  }

  @Test
  void aChainThatReloadsHaveClosedIsRefusedAfterTheExecutionToo() throws Exception {
    outerForTheTest();
    model("inner", "", adding(1));
    open(Engine.builder().startWith("outer"));
    CompletableFuture<ModelResponse> sent = engine().inferAsync(request("outer", 1));
    DetachedRequest later = seen(detached);

    model("outer", "", "parameters { key: \"n\" value { string_value: \"1\" } }", adding(1));
    engine().load("outer");
    model("inner", "outer", later(answeringFrom("outer")));
    engine().load("inner");

    assertFails(
        StatusCode.INTERNAL,
        "model 'outer' cannot be called for a request that it takes part in: the chain of calls is"
            + " outer -> inner -> outer",
        () -> later.calls().infer(call("inner", later)));
    later.fail(InferenceException.cancelled());
    assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> seen(sent));
  }

  @Test
  void sixteenModelsTakePartInARequestAndNoMore() throws IOException {
    for (int i = 0; i < ModelCalls.MAX_DEPTH; i++) {
      model("m" + i, "m" + (i + 1), later(answeringFrom("m" + (i + 1))));
    }
    model("m" + ModelCalls.MAX_DEPTH, "", adding(1));
    open();

    assertThat(infer("m1", 1)).containsExactly(2);
    assertFails(
        StatusCode.INTERNAL,
        "model 'm16' cannot be called: 16 models take part in the request already: m0 -> m1 ->",
        () -> infer("m0", 1));
  }

  @Test
  void aRequestOfAStoppingEngineFinishesWithItsCalls() throws Exception {
    outerForTheTest();
    model("inner", "", adding(1));
    open();

    CompletableFuture<ModelResponse> sent = engine().inferAsync(request("outer", 1));
    DetachedRequest later = seen(detached);
    CompletableFuture<Void> stopping = CompletableFuture.runAsync(this::stop);
    while (engine().isReady()) {
      Thread.onSpinWait();
    }
    answeringFrom("inner").answer(later);

    assertThat(ints(sent)).containsExactly(2);
    stopping.join();
  }

  @Test
  void aModelThatACallHasReachedServesItUntilTheRequestEnds() throws Exception {
    var called = new CountDownLatch(1);
    model(
        "outer",
        "inner",
        later(request -> {
          request.calls().infer(call("inner", request)).close();
          called.countDown();
          gate.await();
          answeringFrom("inner").answer(request);
        }));
    model("inner", "", adding(1));
    open(Engine.builder().startWith("outer"));

    CompletableFuture<ModelResponse> sent = engine().inferAsync(request("outer", 1));
    called.await();
    engine().unload("inner");
    assertThat(engine().isReady("inner")).isFalse();
    gate.countDown();

    assertThat(ints(sent)).containsExactly(2);
  }

  @Test
  void anInstanceThatHoldsResourcesLeavesItsCallsToOtherThreads() throws IOException {
    var refusal = new CompletableFuture<Throwable>();
    model(
        "outer",
        "inner",
        "instance_group { count: 1 kind: KIND_CPU rate_limiter { resources { name: \"R\" count: 1 }"
            + " } }",
        (_, results) -> {
          DetachedRequest request = results.detach(0);
          try {
            request.calls().infer(call("inner", request)).close();
          } catch (InferenceException refused) {
            refusal.complete(refused);
          }
          Thread.ofVirtual()
              .start(() -> {
                CallResponse response = request.calls().infer(call("inner", request));
                request.give(response.output("OUT"), response.keep());
                request.send();
              });
        });
    model(
        "inner",
        "",
        "instance_group { count: 1 kind: KIND_CPU rate_limiter { resources { name: \"R\" count: 1 }"
            + " } }",
        adding(1));
    open(Engine.builder().rateLimiter(new ExecutionCountLimiter(List.of())));

    assertThat(infer("outer", 1)).containsExactly(2);
    assertThat(seen(refusal)).hasMessageContaining("holds resources of the rate limiter");
  }
}
