package io.nereid.tck.echo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.backend.BackendFactory;
import io.nereid.tck.backend.DecoupledVerification;
import io.nereid.tck.backend.ExecutionVerification;
import io.nereid.tck.backend.MemoryVerification;
import io.nereid.tck.backend.ThreadingVerification;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.Outcome;
import io.nereid.tck.support.SampleRequest;
import io.nereid.tck.support.Samples;
import io.nereid.tck.support.Tensors;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class RepeatBackendTest {
  private static BackendUnderTest repeat(boolean decoupled) {
    var config =
        ModelConfig.of("repeat", "tck_repeat")
            .withSignature(
                0,
                List.of(TensorConfig.of("IN", DataType.INT32, Shape.of(-1))),
                List.of(
                    TensorConfig.of("OUT", DataType.INT32, Shape.of(1)),
                    TensorConfig.of("IDX", DataType.UINT32, Shape.of(1))))
            .withDecoupled(decoupled);
    return BackendUnderTest.of(new RepeatBackend(), new ModelFiles(Path.of("repeat"), 1), config);
  }

  private static List<Outcome> answers(int... values) {
    var input =
        new Tensor(
            "IN",
            DataType.INT32,
            Shape.of(values.length),
            MemorySegment.ofArray(Samples.ints(values)));
    try (var model = OpenModel.of(repeat(true))) {
      var execution = model.execute(List.of(List.of(input)));
      assertThat(execution.violations()).isEmpty();
      return execution.answers().getFirst();
    }
  }

  private static int only(Outcome answer, String output) {
    return Tensors.named((Outcome.Outputs) answer, output).data().get(Elements.INT, 0);
  }

  @Test
  void answersEachElementWithAResponseOfItsOwn() {
    assertThat(answers(7, 9)).hasSize(2);
    assertThat(answers(7, 9)).extracting(answer -> only(answer, "OUT")).containsExactly(7, 9);
    assertThat(answers(7, 9)).extracting(answer -> only(answer, "IDX")).containsExactly(0, 1);
    assertThat(answers()).isEmpty();
  }

  @Test
  void failsAtANegativeElementAfterTheOnesBeforeIt() {
    List<Outcome> answers = answers(7, -1, 8);
    assertThat(answers).hasSize(2);
    assertThat(answers.getLast()).isInstanceOf(Outcome.Failure.class);
  }

  /** Has every verification use the decoupled model. */
  interface Repeat extends BackendFactory {
    @Override
    default BackendUnderTest backend() {
      return repeat(true);
    }

    @Override
    default List<Tensor> inputs(ModelConfig config, long rows, long seed) {
      int first = (int) seed & 0xFFFF; // a negative element fails the request
      var data = MemorySegment.ofArray(Samples.ints(first, first + 1, first + 2));
      return List.of(new Tensor("IN", DataType.INT32, Shape.of(3), data));
    }

    @Override
    default Optional<SampleRequest> longRequest(ModelConfig config) {
      return Optional.of(
          SampleRequest.of(inputs(config, 1, 1), Map.of("hold", new Parameter.OfBoolean(true))));
    }
  }

  @Nested
  class Execution extends ExecutionVerification implements Repeat {}

  @Nested
  class Responses extends DecoupledVerification implements Repeat {}

  @Nested
  class Threading extends ThreadingVerification implements Repeat {}

  @Nested
  class Memory extends MemoryVerification implements Repeat {}

  @Test
  void rejectsAModelThatIsNotDecoupled() {
    assertThatThrownBy(() -> OpenModel.of(repeat(false)))
        .isInstanceOf(InferenceException.class)
        .hasMessage("model 'repeat' must be decoupled to repeat");
  }
}
