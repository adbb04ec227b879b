package io.nereid.tck.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.error.InferenceException;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.execution.TestBatch;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.Outcome;
import io.nereid.tck.support.TensorGenerator;
import io.nereid.tck.support.Tensors;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class GateTest {
  private static final String NAME = "gated";
  private final Gate gate = Gate.of(NAME);

  @AfterEach
  void forget() {
    Gate.forget(NAME);
  }

  private static BackendUnderTest model() {
    return GatedModels.named(NAME, Map.of());
  }

  private static BackendUnderTest decoupled() {
    return GatedModels.named(NAME, Map.of(), true);
  }

  private static List<Tensor> inputs(OpenModel model, long seed, long rows) {
    return new TensorGenerator(seed).inputs(model.config(), rows);
  }

  @Test
  void holdsAnExecutionUntilItIsOpened() throws Exception {
    try (var model = OpenModel.of(model())) {
      var execution =
          CompletableFuture.supplyAsync(() -> model.execute(List.of(inputs(model, 1, 1))));

      gate.awaitBegun(1);
      assertThat(gate.running()).hasSize(1);
      assertThat(gate.held()).hasSize(1);
      assertThat(execution).isNotDone();

      gate.open(1);
      gate.awaitEnded(1);
      Tensors.assertSame(
          Tensors.named(execution.get().outputs(0), "OUT1"), inputs(model, 1, 1).get(1));
      assertThat(gate.running()).isEmpty();
    }
  }

  @Test
  void letsAsManyExecutionsPassAsItIsOpenedFor() throws Exception {
    try (var model = OpenModel.of(model())) {
      gate.open(1);
      model.execute(List.of(inputs(model, 1, 1)));
      var second = CompletableFuture.runAsync(() -> model.execute(List.of(inputs(model, 2, 1))));

      gate.awaitBegun(2);
      assertThat(gate.running()).extracting(Execution::number).containsExactly(1);
      gate.openAll();
      second.get();
    }
  }

  @Test
  void opensForOneInstance() throws Exception {
    try (var model = OpenModel.of(model())) {
      gate.open("another", 1);
      var execution = CompletableFuture.runAsync(() -> model.execute(List.of(inputs(model, 1, 1))));
      gate.awaitBegun(1);
      assertThat(gate.held()).hasSize(1);

      gate.open(gate.instances().getFirst().name(), 1);
      execution.get();
    }
  }

  @Test
  void recordsWhatABatchHeld() {
    try (var model = OpenModel.of(model());
        var batch = new TestBatch(model.config())) {
      batch.add(inputs(model, 1, 2)).add(inputs(model, 2, 3), List.of("OUT1"));
      gate.open(1);
      model.execute(batch);

      Execution execution = gate.executions().getFirst();
      assertThat(execution.instance()).isEqualTo(gate.instances().getFirst().name());
      assertThat(execution.rows()).isEqualTo(5);
      assertThat(execution.ids()).containsExactly("request-0", "request-1");
      assertThat(execution.requests()).extracting(ExecutedRequest::rows).containsExactly(2L, 3L);
      assertThat(execution.requests())
          .extracting(ExecutedRequest::wanted)
          .containsExactly(List.of("OUT0", "OUT1"), List.of("OUT1"));
      Shape shape = batch.request(1).inputs().getFirst().shape();
      assertThat(execution.requests().get(1).shape("IN0")).isEqualTo(shape);
      assertThat(execution.requests().getFirst().controls()).isEmpty();
    }
  }

  @Test
  void showsWhatWasRecordedAsText() {
    try (var model = OpenModel.of(model())) {
      gate.open(2);
      model.execute(List.of(inputs(model, 1, 2)));

      assertThat(gate).asString().contains(NAME, "open to 1", "#0", "2 rows [request-0]", "ENDED");
    }
  }

  @Test
  void failsARequestAsSet() {
    try (var model = OpenModel.of(model())) {
      gate.reply("request-1", Reply.failure(InferenceException.invalid("as told")));
      gate.openAll();
      var execution = model.execute(List.of(inputs(model, 1, 1), inputs(model, 2, 1)));

      assertThat(execution.outputs(0).tensors()).containsOnlyKeys("OUT0", "OUT1");
      assertThat(execution.answers().get(1))
          .singleElement()
          .isInstanceOfSatisfying(
              Outcome.Failure.class,
              failure -> assertThat(failure.exception()).hasMessage("as told"));
    }
  }

  @Test
  void sendsAsManyResponsesAsSet() {
    try (var model = OpenModel.of(decoupled())) {
      gate.reply("request-0", Reply.responses(0));
      gate.reply("request-1", Reply.responses(3));
      gate.openAll();
      var execution = model.execute(List.of(inputs(model, 1, 1), inputs(model, 2, 1)));

      assertThat(execution.violations()).isEmpty();
      assertThat(execution.answers()).extracting(List::size).containsExactly(0, 3);
    }
  }

  @Test
  void leavesOutAnOutputAsSet() {
    try (var model = OpenModel.of(model())) {
      gate.reply("request-0", Reply.ECHO.without("OUT0"));
      gate.openAll();
      var execution = model.execute(List.of(inputs(model, 1, 1)));

      assertThat(execution.outputs(0).tensors()).containsOnlyKeys("OUT1");
    }
  }

  @Test
  void goesOnAfterAResponseUntilItIsReleased() throws Exception {
    try (var model = OpenModel.of(model())) {
      gate.reply("request-0", Reply.ECHO.thenHeld());
      gate.openAll();
      var execution =
          CompletableFuture.supplyAsync(() -> model.execute(List.of(inputs(model, 1, 1))));
      gate.awaitBegun(1);
      assertThat(execution).isNotDone();

      gate.release("request-0");

      assertThat(execution.get().outputs(0).tensors()).containsOnlyKeys("OUT0", "OUT1");
    }
  }

  @Test
  void endsAllExecutionsWhenItIsTornDown() throws Exception {
    try (var model = OpenModel.of(model())) {
      gate.reply("request-0", Reply.ECHO.thenHeld());
      var execution = CompletableFuture.runAsync(() -> model.execute(List.of(inputs(model, 1, 1))));
      gate.awaitBegun(1);

      gate.tearDown();

      execution.get();
    }
  }
}
