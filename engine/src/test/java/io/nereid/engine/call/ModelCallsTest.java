package io.nereid.engine.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.nereid.engine.ModelRequest;
import io.nereid.engine.ModelResponse;
import io.nereid.request.InferenceRequest;
import io.nereid.request.Parameter;
import io.nereid.request.SequenceId;
import io.nereid.spi.CallMemory;
import io.nereid.spi.CallResponse;
import io.nereid.spi.CallResponses;
import io.nereid.spi.ModelCall;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a call is made of, and what it returns. */
class ModelCallsTest extends CallingModels {
  @Test
  void aModelAnswersWithWhatAnotherHasAnswered() throws IOException {
    model("outer", "inner", passingTo("inner"));
    model("inner", "", adding(1));
    open();

    assertThat(infer("outer", 1, 2, 3)).containsExactly(2, 3, 4);
  }

  @Test
  void nothingIsCopied() throws IOException {
    List<Long> addresses = new CopyOnWriteArrayList<>();
    model(
        "outer",
        "inner",
        (batch, results) -> {
          addresses.add(input(batch).data().address());
          CallResponse response = batch.calls(0).infer(call("inner", batch).build());
          addresses.add(response.output("OUT").data().address());
          pass(response, results);
        });
    model(
        "inner",
        "",
        (batch, results) -> {
          addresses.add(input(batch).data().address());
          adding(1).execute(batch, results);
        });
    open();

    try (ModelResponse response = engine().infer(request("outer", 1))) {
      addresses.add(response.output("OUT").data().address());
      assertThat(response.ints("OUT")).containsExactly(2);
    }

    assertThat(addresses.get(1)).as("of the input").isEqualTo(addresses.get(0));
    assertThat(addresses.get(3)).as("of the output").isEqualTo(addresses.get(2));
  }

  @Test
  void aModelPassesTheOutputOfOneToAnother() throws IOException {
    model(
        "outer",
        "first, second",
        (batch, results) -> {
          CallResponse first = batch.calls(0).infer(call("first", batch).build());
          ModelCall second = ModelCall.to("second").input("IN", first.output("OUT")).build();
          pass(batch.calls(0).infer(second), results);
        });
    model("first", "", adding(1));
    model("second", "", adding(10));
    open();

    assertThat(infer("outer", 1)).containsExactly(12);
  }

  @Test
  void callsRunAtTheSameTime() throws IOException {
    var bothRun = new java.util.concurrent.CyclicBarrier(2);
    ScriptedBackend.Script meeting =
        (batch, results) -> {
          bothRun.await();
          adding(1).execute(batch, results);
        };
    model(
        "outer",
        "first, second",
        (batch, results) -> {
          var first = batch.calls(0).inferAsync(call("first", batch).build());
          var second = batch.calls(0).inferAsync(call("second", batch).build());
          first.get().close();
          pass(second.get(), results);
        });
    model("first", "", meeting);
    model("second", "", meeting);
    open();

    assertThat(infer("outer", 1)).containsExactly(2);
  }

  @Test
  void virtualThreadsMayWaitForCalls() throws IOException {
    model(
        "outer",
        "inner",
        (batch, results) -> {
          var calls = batch.calls(0);
          ModelCall call = call("inner", batch).build();
          List<CompletableFuture<CallResponse>> waiting = new ArrayList<>();
          for (int i = 0; i < 20; i++) {
            waiting.add(
                CompletableFuture.supplyAsync(
                    () -> calls.infer(call), task -> Thread.ofVirtual().start(task)));
          }
          for (var each : waiting) {
            assertThat(each.get().output("OUT").data().get(Elements.INT, 0)).isEqualTo(2);
          }
          pass(waiting.getFirst().get(), results);
        });
    model("inner", "", adding(1));
    open();

    assertThat(infer("outer", 1)).containsExactly(2);
  }

  @Test
  void theResponsesOfADecoupledModelComeOneAfterTheOther() throws IOException {
    model(
        "outer",
        "counter",
        (batch, results) -> {
          int sum = 0;
          try (CallResponses responses = batch.calls(0).stream(call("counter", batch).build())) {
            for (var next = responses.next(); next.isPresent(); next = responses.next()) {
              try (CallResponse response = next.get()) {
                sum += response.output("OUT").data().get(Elements.INT, 0);
              }
            }
          }
          results
              .allocate(0, "OUT", DataType.INT32, Shape.of(1), Integer.BYTES)
              .set(Elements.INT, 0, sum);
        });
    model(
        "counter",
        "",
        "model_transaction_policy { decoupled: true }",
        (batch, results) -> {
          for (int i = 1; i <= 4; i++) {
            results
                .allocate(0, "OUT", DataType.INT32, Shape.of(1), Integer.BYTES)
                .set(Elements.INT, 0, i);
            results.send(0);
          }
        });
    open();

    assertThat(infer("outer", 0)).containsExactly(10);
  }

  @Test
  void aStreamThatIsClosedCancelsItsCall() throws IOException {
    var cancelled = new CompletableFuture<Boolean>();
    model(
        "outer",
        "endless",
        (batch, results) -> {
          try (CallResponses responses = batch.calls(0).stream(call("endless", batch).build())) {
            responses.next().orElseThrow().close();
          }
          assertThat(cancelled).as("the close waits").isDone();
          adding(1).execute(batch, results);
        });
    model(
        "endless",
        "",
        "model_transaction_policy { decoupled: true }",
        (batch, results) -> {
          while (!batch.isCancelled()) {
            adding(0).execute(batch, results);
            results.send(0);
            Thread.sleep(1);
          }
          cancelled.complete(true);
        });
    open();

    assertThat(infer("outer", 1)).containsExactly(2);
  }

  @Test
  void aCallHasWhatTheRequestHas() throws IOException {
    var seen = new CompletableFuture<InferenceRequest>();
    model(
        "outer",
        "inner",
        (batch, results) -> {
          ModelCall call =
              call("inner", batch).parameter("own", new Parameter.OfLong(1)).output("OUT").build();
          pass(batch.calls(0).infer(call), results);
        });
    model(
        "inner",
        "",
        (batch, results) -> {
          seen.complete(batch.request(0));
          adding(1).execute(batch, results);
        });
    open();

    ModelRequest request =
        ModelRequest.to("outer")
            .id("the id")
            .input("IN", Shape.of(1), 1)
            .priority(7)
            .queueTimeout(Duration.ofMinutes(1))
            .sequence(new SequenceId.OfNumber(42), true, false)
            .parameter("outer's", new Parameter.OfLong(2))
            .build();
    engine().infer(request).close();

    InferenceRequest inner = seen.join();
    assertThat(inner.id()).isEqualTo("the id");
    assertThat(inner.options().priority()).isEqualTo(7);
    assertThat(inner.options().timeoutMicros()).isEqualTo(60_000_000);
    assertThat(inner.options().sequenceId()).isEqualTo(new SequenceId.OfNumber(42));
    assertThat(inner.options().sequenceStart()).isTrue();
    assertThat(inner.options().parameters()).containsOnlyKeys("own");
    assertThat(inner.outputs()).containsExactly("OUT");
  }

  @Test
  void aCallMayHaveASequenceOfItsOwn() throws IOException {
    var seen = new CompletableFuture<InferenceRequest>();
    model(
        "outer",
        "inner",
        (batch, results) -> {
          ModelCall call = call("inner", batch).sequence(SequenceId.of("s"), false, true).build();
          pass(batch.calls(0).infer(call), results);
        });
    model(
        "inner",
        "",
        (batch, results) -> {
          seen.complete(batch.request(0));
          adding(1).execute(batch, results);
        });
    open();
    infer("outer", 1);

    assertThat(seen.join().options().sequenceId()).isEqualTo(SequenceId.of("s"));
    assertThat(seen.join().options().sequenceEnd()).isTrue();
  }

  @Test
  void aCallIsARequestOfTheCalledModelInTheStatistics() throws IOException {
    model("outer", "inner", passingTo("inner"));
    model("inner", "", adding(1));
    open();
    infer("outer", 1);
    infer("outer", 1);

    assertThat(engine().statistics())
        .allSatisfy(each -> assertThat(each.inferenceCount()).isEqualTo(2));
  }

  @Test
  void theServerLendsMemoryForInputs() throws IOException {
    model(
        "outer",
        "inner",
        (batch, results) -> {
          CallMemory memory = batch.calls(0).allocate("inner", 8);
          memory.segment().set(Elements.INT, 0, 5);
          memory.segment().set(Elements.INT, 4, 6);
          ModelCall call =
              ModelCall.to("inner")
                  .input("IN", DataType.INT32, Shape.of(2), memory.segment())
                  .build();
          CallResponse response = batch.calls(0).infer(call);
          memory.close();
          memory.close();
          assertThatIllegalStateException().isThrownBy(memory::segment);
          pass(response, results);
        });
    model("inner", "", adding(1));
    open();

    assertThat(infer("outer", 1)).containsExactly(6, 7);
  }

  @Test
  void eachRequestOfABatchHasItsOwnCalls() throws IOException {
    List<String> ids = new CopyOnWriteArrayList<>();
    model(
        "outer",
        "[ 1 ]",
        "inner",
        "max_batch_size: 8 dynamic_batching { max_queue_delay_microseconds: 5000000"
            + " preferred_batch_size: 3 }",
        (batch, results) -> {
          assertThat(batch.calls(0)).isSameAs(batch.calls(0));
          for (int i = 0; i < batch.size(); i++) {
            Tensor input = batch.input(i, "IN").orElseThrow();
            CallResponse response =
                batch.calls(i).infer(ModelCall.to("inner").input("IN", input).build());
            results.give(i, response.output("OUT"), response.keep());
          }
        });
    model(
        "inner",
        "[ 1, 1 ]",
        "",
        "",
        (batch, results) -> {
          ids.add(batch.request(0).id());
          adding(1).execute(batch, results);
        });
    open();

    List<CompletableFuture<ModelResponse>> sent =
        IntStream.range(0, 3)
            .mapToObj(i ->
                engine()
                    .inferAsync(
                        ModelRequest.to("outer")
                            .id("r" + i)
                            .input("IN", Shape.of(1, 1), i)
                            .build()))
            .toList();
    for (int i = 0; i < 3; i++) {
      try (ModelResponse response = sent.get(i).join()) {
        assertThat(response.ints("OUT")).containsExactly(i + 1);
      }
    }
    assertThat(ids).containsExactlyInAnyOrder("r0", "r1", "r2");
  }

  @Test
  void anEnsembleMayBeCalled() throws IOException {
    model("outer", "e", passingTo("e"));
    model("inner", "", adding(1));
    ensemble("e", "inner");
    open();

    assertThat(infer("outer", 1)).containsExactly(2);
  }
}
