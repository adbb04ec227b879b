package io.nereid.engine.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.Engine;
import io.nereid.engine.ModelResponse;
import io.nereid.engine.model.control.ModelIndexEntry;
import io.nereid.error.InferenceException;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A model loads, serves and unloads with those that it calls, as an ensemble does. */
class CallersLoadTest extends CallingModels {
  private static final String WARM =
      "model_warmup { name: \"w\" batch_size: 1 inputs { key: \"IN\" value { data_type: TYPE_INT32"
          + " dims: [ 1 ] zero_data: true } } }";

  private String reason(String model) {
    return engine().index().stream()
        .filter(entry -> entry.name().equals(model))
        .map(ModelIndexEntry::reason)
        .collect(Collectors.joining());
  }

  private void start(String... models) throws IOException {
    open(Engine.builder().startWith(models));
  }

  private void assertNotLoaded(String model, String message) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> engine().load(model))
        .withMessageContaining(message);
  }

  @Test
  void aModelIsLoadedBehindThoseThatItCallsAndItsWarmUpMayCallThem() throws IOException {
    model("a", "b", WARM, passingTo("b"));
    model("b", "c", WARM, passingTo("c"));
    model("c", "", adding(1));
    open();

    assertThat(infer("a", 1)).containsExactly(2);
  }

  @Test
  void theModelsThatItCallsAreLoadedWithIt() throws IOException {
    model("a", "b", WARM, passingTo("b"));
    model("b", "c", passingTo("c"));
    model("c", "", adding(1));
    start();

    engine().load("a");

    assertThat(infer("a", 1)).containsExactly(2);
    assertThat(engine().isReady("c")).isTrue();
  }

  @Test
  void aModelThatLacksOneDoesNotLoadAndSaysWhich() throws IOException {
    model("a", "b, missing", passingTo("b"));
    model("b", "", adding(1));
    start();

    assertNotLoaded(
        "a", "model 'a' calls model 'missing', which is in no model repository, or was unloaded");
    assertThat(engine().isReady("a")).isFalse();
    assertThat(engine().isReady("b")).isTrue();
    assertThat(reason("a"))
        .contains(
            "model 'a' calls model 'missing', which is in no model repository, or was unloaded");
  }

  @Test
  void theNameOfACalledModelThatIsMisspelledIsAskedFor() throws IOException {
    model("a", "addr", passingTo("addr"));
    model("adder", "", adding(1));
    start("adder");

    assertNotLoaded(
        "a",
        "model 'a' calls model 'addr', which is in no model repository, or was unloaded; did you"
            + " mean 'adder'?");
  }

  @Test
  void aModelThatCallsItselfDoesNotLoad() throws IOException {
    model("a", "a", passingTo("a"));
    start();

    assertNotLoaded("a", "model 'a' calls itself");
  }

  @Test
  void modelsThatCallEachOtherDoNotLoad() throws IOException {
    model("a", "b", passingTo("b"));
    model("b", "a", passingTo("a"));
    start();

    assertNotLoaded("a", "circular dependency between models: a -> ... -> b -> a");
  }

  @Test
  void aModelThatCallsAnEnsembleOfItselfDoesNotLoad() throws IOException {
    model("a", "e", passingTo("e"));
    ensemble("e", "a");
    start();

    assertNotLoaded("e", "circular dependency between models: a -> ... -> e -> a");
  }

  @Test
  void anEnsembleMayHaveAStepThatCallsModels() throws IOException {
    model("a", "b", passingTo("b"));
    model("b", "", adding(1));
    ensemble("e", "a");
    open();

    assertThat(infer("e", 1)).containsExactly(2);
  }

  @Test
  void aModelThatIsUnloadedTakesItsCallersAlong() throws IOException {
    model("a", "b", passingTo("b"));
    model("b", "c", passingTo("c"));
    model("c", "", adding(1));
    start("a");

    engine().unload("c");

    assertThat(engine().isReady("a")).isFalse();
    assertThat(engine().isReady("b")).isFalse();

    engine().load("c");

    assertThat(infer("a", 1)).as("they serve again with it").containsExactly(2);
  }

  @Test
  void requestsInFlightFinishTheirCallsWhenTheirModelsUnload() throws Exception {
    var inCall = new CountDownLatch(1);
    var gate = new CountDownLatch(1);
    model(
        "a",
        "b",
        (batch, results) -> {
          inCall.countDown();
          gate.await();
          pass(batch.calls(0).infer(call("b", batch).build()), results);
        });
    model("b", "", adding(1));
    start("a");

    CompletableFuture<ModelResponse> sent = engine().inferAsync(request("a", 1));
    inCall.await();
    engine().unload("b");
    assertThat(engine().isReady("b")).isFalse();
    gate.countDown();

    try (ModelResponse response = sent.join()) {
      assertThat(response.ints("OUT")).containsExactly(2);
    }
  }

  @Test
  void aCallerServesOnWhenAModelThatItCallsIsLoadedAgain() throws IOException {
    model("a", "b", passingTo("b"));
    model("b", "", adding(1));
    start("a");
    infer("a", 1);

    model("b", "", "parameters { key: \"new\" value { string_value: \"1\" } }", adding(100));
    engine().load("b");

    assertThat(infer("a", 1)).containsExactly(101);
    assertThat(
            engine().statistics().stream()
                .filter(each -> each.model().name().equals("a"))
                .findFirst()
                .orElseThrow()
                .inferenceCount())
        .as("it was not loaded again")
        .isEqualTo(2);
  }

  @Test
  void theCallsOfARequestGetTheSameVersionWhileItIsReplaced() throws Exception {
    var called = new CountDownLatch(1);
    var gate = new CountDownLatch(1);
    model(
        "a",
        "b",
        (batch, results) -> {
          batch.calls(0).infer(call("b", batch).build()).close();
          called.countDown();
          gate.await();
          pass(batch.calls(0).infer(call("b", batch).build()), results);
        });
    model("b", "", "version_policy { latest { num_versions: 1 } }", adding(1));
    start("a");

    CompletableFuture<ModelResponse> sent = engine().inferAsync(request("a", 1));
    called.await();
    Files.createDirectories(repository.resolve("b").resolve("2"));
    engine().load("b");
    var version = new CompletableFuture<Long>();
    ScriptedBackend.script(
        "b",
        (batch, results) -> {
          version.complete(batch.request(0).model().version());
          adding(1).execute(batch, results);
        });
    gate.countDown();
    sent.join().close();

    assertThat(version.join()).isEqualTo(1);
  }

  @Test
  void aModelThatCallsOnesWhichAreNotHealthyIsNotReady() throws IOException {
    model("a", "b", passingTo("b"));
    model("b", "", adding(1));
    open(Engine.builder());
    assertThat(engine().isReady("a")).isTrue();

    ScriptedBackend.setHealthy("b", false);

    awaitNotReady("a");
  }

  @Test
  void aModelDeclaresNoMoreCalls() throws IOException {
    model("a", "b", passingTo("b"));
    model("b", "", adding(1));
    start("a");

    model("a", "", adding(5));
    engine().load("a");
    engine().unload("b");

    assertThat(infer("a", 1)).containsExactly(6);
  }

  /** An older version of a model may still call what now calls the model. */
  @Test
  void aChainThatReloadsHaveClosedIsRefused() throws Exception {
    var inOld = new CountDownLatch(1);
    var gate = new CountDownLatch(1);
    model(
        "a",
        "b",
        (batch, results) -> {
          inOld.countDown();
          gate.await();
          passingTo("b").execute(batch, results);
        });
    model("b", "", adding(1));
    start("a");
    CompletableFuture<ModelResponse> sent = engine().inferAsync(request("a", 1));
    inOld.await();

    model("a", "", "parameters { key: \"n\" value { string_value: \"1\" } }", adding(1));
    ScriptedBackend.script("a", adding(1));
    engine().load("a");
    model("b", "a", passingTo("a"));
    engine().load("b");
    gate.countDown();

    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(sent::join)
        .withMessageContaining(
            "model 'a' cannot be called for a request that it takes part in: the chain of calls is"
                + " a -> b -> a");
    assertThat(infer("b", 1)).containsExactly(2);
    assertThat(List.of("a", "b")).allMatch(engine()::isReady);
  }
}
