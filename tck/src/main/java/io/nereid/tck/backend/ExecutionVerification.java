package io.nereid.tck.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.TensorConfig;
import io.nereid.tck.Rule;
import io.nereid.tck.support.OpenModel;
import io.nereid.tck.support.TensorGenerator;
import io.nereid.tck.support.Tensors;
import io.nereid.tck.support.TestBatch;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Outputs of a batch of requests. */
public abstract class ExecutionVerification extends BackendVerification {
  @Test
  @Rule("BACKEND-EXEC-01")
  void answersARequestWithAllOutputsItAskedFor() {
    try (var model = OpenModel.of(backend())) {
      var execution = model.execute(BackendVerification.requests(model.config(), 1).subList(0, 1));

      assertThat(execution.outputs(0).tensors().keySet())
          .containsExactlyInAnyOrderElementsOf(
              model.config().outputs().stream().map(TensorConfig::name).toList());
    }
  }

  @Test
  @Rule("BACKEND-EXEC-02")
  void answersWithTheTypesAndShapesThatTheModelDeclares() {
    try (var model = OpenModel.of(backend())) {
      var execution = model.execute(BackendVerification.requests(model.config(), 2));

      for (TensorConfig output : model.config().outputs()) {
        Tensor answered = Tensors.named(execution.outputs(0), output.name());
        assertThat(answered.dataType()).isEqualTo(output.dataType());
        assertThat(
                output.modelSpec(model.config().maxBatchSize()).shape().accepts(answered.shape()))
            .as("%s in %s", answered.shape(), output)
            .isTrue();
      }
    }
  }

  @Test
  @Rule("BACKEND-EXEC-03")
  void givesEachRequestOfABatchAsManyRowsAsItBrought() {
    try (var model = OpenModel.of(backend())) {
      var requests = BackendVerification.requests(model.config(), 3);
      var execution = model.execute(requests);

      for (int i = 0; i < requests.size(); i++) {
        Map<String, Tensor> outputs = execution.outputs(i).tensors();
        assertThat(outputs).isNotEmpty();
        if (model.config().batches()) {
          long rows = requests.get(i).getFirst().shape().dim(0);
          assertThat(outputs.values()).allMatch(output -> output.shape().dim(0) == rows);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {4, 5, 6})
  @Rule("BACKEND-EXEC-04")
  void answersARequestInABatchAsItAnswersItAlone(long seed) {
    try (var model = OpenModel.of(backend())) {
      var requests = BackendVerification.requests(model.config(), seed);
      var together = model.execute(requests);

      for (int i = 0; i < requests.size(); i++) {
        var alone = model.execute(List.of(requests.get(i)));
        Tensors.assertSame(together.outputs(i), alone.outputs(0));
      }
    }
  }

  @Test
  @Rule("BACKEND-EXEC-05")
  void answersTheSameBatchTheSameWay() {
    try (var model = OpenModel.of(backend())) {
      var requests = BackendVerification.requests(model.config(), 7);
      var first = model.execute(requests);
      model.execute(BackendVerification.requests(model.config(), 8));
      var again = model.execute(requests);

      Tensors.assertSame(first.outputs(0), again.outputs(0));
    }
  }

  @Test
  @Rule("BACKEND-EXEC-06")
  void answersARequestForOneOutput() {
    try (var model = OpenModel.of(backend());
        var batch = new TestBatch(model.config())) {
      var wanted = model.config().outputs().getLast().name();
      batch.add(new TensorGenerator(9).inputs(model.config(), 1), List.of(wanted));

      assertThat(model.execute(batch).outputs(0).tensors()).containsOnlyKeys(wanted);
    }
  }

  @Test
  @Rule("BACKEND-EXEC-07")
  void answersTwoRequestsThatWantDifferentOutputs() {
    try (var model = OpenModel.of(backend());
        var batch = new TestBatch(model.config())) {
      var outputs = model.config().outputs();
      var generator = new TensorGenerator(10);
      batch.add(generator.inputs(model.config(), 1), List.of(outputs.getFirst().name()));
      if (model.config().maxBatchSize() > 1) {
        batch.add(generator.inputs(model.config(), 1), List.of(outputs.getLast().name()));
      }
      var execution = model.execute(batch);

      assertThat(execution.outputs(0).tensors()).containsOnlyKeys(outputs.getFirst().name());
      assertThat(execution.outputs(batch.size() - 1).tensors())
          .containsOnlyKeys(batch.request(batch.size() - 1).outputs());
    }
  }

  @Test
  @Rule("BACKEND-EXEC-08")
  void fillsTheLargestBatch() {
    try (var model = OpenModel.of(backend())) {
      int rows = Math.max(1, model.config().maxBatchSize());
      var inputs = new TensorGenerator(11).inputs(model.config(), rows);

      assertThat(model.execute(List.of(inputs)).outputs(0).tensors()).isNotEmpty();
    }
  }

  @Test
  @Rule("BACKEND-EXEC-09")
  void givesDeclaredOutputsOnceEach() {
    try (var model = OpenModel.of(backend())) {
      var execution = model.execute(BackendVerification.requests(model.config(), 12));

      assertThat(execution.violations()).isEmpty();
    }
  }

  @Test
  @Rule("BACKEND-EXEC-10")
  void givesAsManyBytesElementsAsTheShapeSays() {
    try (var model = OpenModel.of(backend())) {
      var execution = model.execute(BackendVerification.requests(model.config(), 13));

      assertThat(execution.violations()).isEmpty();
    }
  }
}
