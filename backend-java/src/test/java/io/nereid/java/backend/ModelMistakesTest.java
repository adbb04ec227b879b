package io.nereid.java.backend;

import static io.nereid.java.backend.ModelFailuresTest.failures;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.StatusCode;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.model.OpenModel;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a model does wrong with the contract is its own bug, and says which model it is. */
class ModelMistakesTest {
  private static final TensorConfig OPTIONAL =
      new TensorConfig(
          "x",
          DataType.FP32,
          Shape.of(-1),
          Optional.empty(),
          /* optional= */ true,
          false,
          false,
          TensorConfig.Format.FORMAT_NONE,
          "");

  @TempDir Path directory;

  private ModelFolder folder() {
    return new ModelFolder(directory);
  }

  @Test
  void anOptionalInputThatARequestLacksIsNotReadAsIfItWereThere() {
    folder().withBody("return Response.of(request.input(\"x\"));");
    ModelConfig optional =
        ModelConfig.of("m", "java")
            .withSignature(
                0, List.of(OPTIONAL), List.of(TensorConfig.of("y", DataType.FP32, Shape.of(-1))));

    try (var model = folder().open(optional)) {
      assertThat(model.execute(List.of(List.of())).answers().getFirst())
          .singleElement()
          .asString()
          .contains("model 'm' reads input 'x', which is optional and not in this request");
    }
  }

  @Test
  void anInputOfAnotherTypeThanIsReadNamesTheModelAndTheLine() {
    folder().withBody("TensorArrays.ints(request.input(\"x\"));\nreturn Response.of();");
    BackendUnderTest tested = folder().underTest(ModelFolder.config(4));
    String text = "model 'm': tensor 'x' has type FP32, not [INT32]";

    try (var model = OpenModel.of(tested)) {
      assertThat(failures(model, 2))
          .singleElement()
          .satisfies(failure -> {
            assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
            assertThat(failure).hasMessage(text);
          });
    }

    assertThat(tested.context().lines())
        .filteredOn(line -> line.startsWith("WARNING model"))
        .singleElement()
        .asString()
        .contains("infer fails at Model.java:", text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Response.of((Tensor) null)                   | output 1 of a response is null",
        "Response.of(request.input(\"x\")).output(null) | output 2 of a response is null",
        "Response.of((Tensor[]) null)                 | the list of outputs of a response is null",
        "Response.failed(null)                        | the failure of a response is null",
        "Response.of().parameter(\"p\", null)           | parameter 'p' of a response is null"
      })
  void aNullInAResponseIsAFailureWithASentence(String response, String text) {
    folder().withBody("return %s;".formatted(response));

    try (var model = folder().open(ModelFolder.config(4))) {
      assertThat(failures(model, 1))
          .singleElement()
          .satisfies(failure -> {
            assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
            assertThat(failure).hasMessage("model 'm': " + text);
          });
    }
  }
}
