package io.nereid.engine.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.Engine;
import io.nereid.engine.ModelResponse;
import io.nereid.engine.ModelResponses;
import io.nereid.engine.execution.ratelimit.ExecutionCountLimiter;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.error.StatusCode;
import io.nereid.spi.CallResponse;
import io.nereid.spi.ModelCall;
import io.nereid.spi.ModelCalls;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** No call waits for what its caller holds. Each model has one instance. */
@Timeout(60)
class CallsWithoutDeadlockTest extends CallingModels {
  private static final String ON_ANY_THREAD =
      "parameters { key: \"any_thread\" value { string_value: \"true\" } }";

  @Test
  void manyRequestsGoThroughOneInstanceOfEach() throws IOException {
    model(
        "a",
        "b, c",
        (batch, results) -> {
          var b = batch.calls(0).inferAsync(call("b", batch).build());
          CallResponse c = batch.calls(0).infer(call("c", batch).build());
          b.get().close();
          pass(c, results);
        });
    model("b", "c", passingTo("c"));
    model("c", "", adding(1));
    open();

    List<CompletableFuture<ModelResponse>> sent =
        IntStream.range(0, 200)
            .mapToObj(i -> engine().inferAsync(request(i % 2 == 0 ? "a" : "b", i)))
            .toList();
    for (int i = 0; i < sent.size(); i++) {
      try (ModelResponse response = sent.get(i).join()) {
        assertThat(response.ints("OUT")).containsExactly(i + 1);
      }
    }
  }

  @Test
  void oneThreadMayExecuteAllModelsOfACall() throws IOException {
    Map<String, Set<Thread>> threads = new ConcurrentHashMap<>();
    for (String[] model : List.of(new String[] {"a", "b"}, new String[] {"b", "c"})) {
      model(
          model[0],
          model[1],
          ON_ANY_THREAD,
          (batch, results) -> {
            threads
                .computeIfAbsent(model[0], _ -> ConcurrentHashMap.newKeySet())
                .add(Thread.currentThread());
            passingTo(model[1]).execute(batch, results);
          });
    }
    model(
        "c",
        "",
        ON_ANY_THREAD,
        (batch, results) -> {
          threads
              .computeIfAbsent("c", _ -> ConcurrentHashMap.newKeySet())
              .add(Thread.currentThread());
          adding(1).execute(batch, results);
        });
    open();

    for (int i = 0; i < 20_000 && !executedHere(threads, "c"); i++) {
      infer("c", i); // its executions are known to be short
    }
    for (int i = 0; i < 20_000 && !threads.values().stream().allMatch(this::hasThisThread); i++) {
      assertThat(infer("a", i)).containsExactly(i + 1);
    }
    assertThat(executedHere(threads, "c")).isTrue();
  }

  private boolean executedHere(Map<String, Set<Thread>> threads, String model) {
    return hasThisThread(threads.getOrDefault(model, Set.of()));
  }

  private boolean hasThisThread(Set<Thread> threads) {
    return threads.contains(Thread.currentThread());
  }

  @Test
  void anInstanceThatHoldsResourcesOfTheRateLimiterMayNotWait() throws IOException {
    model(
        "outer",
        "inner",
        "instance_group { count: 1 kind: KIND_CPU rate_limiter { resources { name: \"R\" count: 1 }"
            + " } }",
        passingTo("inner"));
    model("inner", "", adding(1));
    open(Engine.builder().rateLimiter(new ExecutionCountLimiter(List.of())));

    assertFails(
        StatusCode.INTERNAL,
        "model 'outer' cannot call model 'inner' from an instance that holds resources of the rate"
            + " limiter: what it waits for may wait for them",
        () -> infer("outer", 1));
  }

  @Test
  void anInstanceWithoutResourcesMayCallOneThatNeedsThem() throws IOException {
    model("outer", "inner", passingTo("inner"));
    model(
        "inner",
        "",
        "instance_group { count: 1 kind: KIND_CPU rate_limiter { resources { name: \"R\" count: 1 }"
            + " } }",
        adding(1));
    open(Engine.builder().rateLimiter(new ExecutionCountLimiter(List.of())));

    assertThat(infer("outer", 1)).containsExactly(2);
  }

  @Test
  void aCallIsRefusedWhereTheQueueOfTheCalledModelIsFull() throws Exception {
    var begun = new CountDownLatch(1);
    var gate = new CountDownLatch(1);
    model("outer", "inner", passingTo("inner"));
    model(
        "inner",
        "",
        "dynamic_batching { default_queue_policy { max_queue_size: 1 } }",
        (batch, results) -> {
          begun.countDown();
          gate.await();
          adding(1).execute(batch, results);
        });
    open();

    CompletableFuture<ModelResponse> executed = engine().inferAsync(request("inner", 1));
    begun.await();
    CompletableFuture<ModelResponse> queued = engine().inferAsync(request("inner", 1));
    assertFails(
        StatusCode.UNAVAILABLE, "model 'outer' called model 'inner': ", () -> infer("outer", 1));
    gate.countDown();
    executed.join().close();
    queued.join().close();
  }

  @Test
  void whatCompletesAFutureMayNotWait() throws IOException {
    var refusal = new CompletableFuture<Throwable>();
    model(
        "outer",
        "inner",
        (batch, results) -> {
          ModelCalls calls = batch.calls(0);
          ModelCall call = call("inner", batch).build();
          var gate = new CountDownLatch(1);
          ScriptedBackend.script(
              "inner",
              (inner, innerResults) -> {
                gate.await();
                adding(1).execute(inner, innerResults);
              });
          CompletableFuture<Boolean> done =
              calls
                  .inferAsync(call)
                  .thenApply(_ -> {
                    try {
                      return calls.infer(call).outputs().isEmpty();
                    } catch (IllegalStateException refused) {
                      refusal.complete(refused);
                      return false;
                    }
                  });
          gate.countDown();
          done.get();
          adding(1).execute(batch, results);
        });
    model("inner", "", adding(1));
    open();

    assertThat(infer("outer", 1)).containsExactly(2);
    assertThat(refusal.join())
        .hasMessage(
            "ModelCalls.infer waits: it may not be called by what completes a future, nor by an"
                + " action on cancellation");
  }

  @Test
  void whatCompletesAFutureMayCallOn() throws IOException {
    model(
        "outer",
        "first, second",
        (batch, results) -> {
          ModelCalls calls = batch.calls(0);
          CompletableFuture<CallResponse> last =
              calls
                  .inferAsync(call("first", batch).build())
                  .thenCompose(first ->
                      calls.inferAsync(
                          ModelCall.to("second").input("IN", first.output("OUT")).build()));
          pass(last.get(), results);
        });
    model("first", "", adding(1));
    model("second", "", adding(10));
    open();

    assertThat(infer("outer", 1)).containsExactly(12);
  }

  @Test
  void anActionOnCancellationMayNotWait() throws Exception {
    var begun = new CountDownLatch(1);
    var refusal = new CompletableFuture<Throwable>();
    model(
        "outer",
        "inner",
        (batch, _) -> {
          ModelCalls calls = batch.calls(0);
          ModelCall call = call("inner", batch).build();
          batch.onCancel(() -> {
            try {
              calls.infer(call).close();
            } catch (IllegalStateException refused) {
              refusal.complete(refused);
            }
          });
          begun.countDown();
          refusal.get(1, TimeUnit.MINUTES);
        });
    model("inner", "", adding(1));
    open();

    CompletableFuture<ModelResponse> sent = engine().inferAsync(request("outer", 1));
    begun.await();
    sent.cancel(true);

    assertThat(refusal.get(1, TimeUnit.MINUTES)).hasMessageStartingWith("ModelCalls.infer waits");
  }

  /** The instance of the decoupled step is needed by the step whose limit would hold it back. */
  @Test
  void aDecoupledStepIsNotHeldBackByOneThatCallsModels() throws Exception {
    model(
        "many",
        "",
        "model_transaction_policy { decoupled: true }",
        (batch, results) -> {
          for (int i = 0; i < 4; i++) {
            adding(i).execute(batch, results);
            results.send(0);
          }
        });
    model(
        "each",
        "many",
        (batch, results) -> {
          try (var responses = batch.calls(0).stream(call("many", batch).build())) {
            while (responses.next().isPresent()) {
              // until it has ended
            }
          }
          adding(100).execute(batch, results);
        });
    ModelOnDisk.of(
        repository,
        "e",
        """
        platform: "ensemble"
        input { name: "IN" data_type: TYPE_INT32 dims: [ -1 ] }
        output { name: "OUT" data_type: TYPE_INT32 dims: [ -1 ] }
        ensemble_scheduling {
          max_inflight_requests: 1
          step { model_name: "many" model_version: -1
            input_map { key: "IN" value: "IN" } output_map { key: "OUT" value: "between" } }
          step { model_name: "each" model_version: -1
            input_map { key: "IN" value: "between" } output_map { key: "OUT" value: "OUT" } }
        }
        """);
    open();

    List<Integer> values = new ArrayList<>();
    try (ModelResponses responses = engine().stream(request("e", 1))) {
      for (var next = responses.next(); next.isPresent(); next = responses.next()) {
        try (ModelResponse response = next.get()) {
          values.add(response.ints("OUT")[0]);
        }
      }
    }

    assertThat(values).containsExactlyInAnyOrder(101, 102, 103, 104);
  }

  @Test
  void threadsOfTheModelItselfMayWait() throws IOException {
    model(
        "outer",
        "inner",
        (batch, results) -> {
          ModelCalls calls = batch.calls(0);
          ModelCall call = call("inner", batch).build();
          var result = new CompletableFuture<CallResponse>();
          Thread own = Thread.ofPlatform().start(() -> result.complete(calls.infer(call)));
          own.join();
          pass(result.get(), results);
        });
    model("inner", "", adding(1));
    open();

    assertThat(infer("outer", 1)).containsExactly(2);
  }
}
