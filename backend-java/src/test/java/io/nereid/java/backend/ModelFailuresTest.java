package io.nereid.java.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.java.TensorArrays;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.Outcome;
import io.nereid.tensor.Tensor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What clients and operators see of a model that does not do what it should. */
class ModelFailuresTest {
  @TempDir Path directory;

  private ModelFolder folder() {
    return new ModelFolder(directory);
  }

  static List<InferenceException> failures(OpenModel model, float... values) {
    List<List<Tensor>> requests = new ArrayList<>();
    for (float value : values) {
      requests.add(List.of(TensorArrays.of("x", new float[] {value}, 1, 1)));
    }
    return model.execute(requests).answers().stream()
        .flatMap(List::stream)
        .filter(Outcome.Failure.class::isInstance)
        .map(failure -> ((Outcome.Failure) failure).exception())
        .toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "throw new IllegalStateException(\"bad\")|java.lang.IllegalStateException: bad",
        "throw new java.io.IOException(\"gone\")|java.io.IOException: gone",
        "throw new StackOverflowError()|java.lang.StackOverflowError",
        "throw new NoClassDefFoundError(\"com/acme/A\")|java.lang.NoClassDefFoundError: com/acme/A"
      })
  void whatInferThrowsFailsThatRequestAndNoOther(String statement, String text) {
    folder()
        .withBody(
            "if (TensorArrays.floats(request.input(\"x\"))[0] < 0) { %s; }\n".formatted(statement)
                + ModelFolder.adding(1));

    try (var model = folder().open(ModelFolder.config(4))) {
      assertThat(failures(model, 1, -1, 2))
          .singleElement()
          .satisfies(failure -> {
            assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
            assertThat(failure).hasMessage("model 'm': infer of class 'Model' failed: " + text);
          });
    }
  }

  @Test
  void anInferenceExceptionReachesTheClientAsItIs() {
    folder().withBody("throw InferenceException.invalid(\"x must be positive\");");

    try (var model = folder().open(ModelFolder.config(4))) {
      assertThat(failures(model, 1))
          .singleElement()
          .satisfies(failure -> {
            assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
            assertThat(failure).hasMessage("x must be positive");
          });
    }
  }

  @Test
  void theLogSaysOnceFromWhichLineOfTheModelAFailureOfTheContractComes() {
    folder().withBody("return Response.of(request.input(\"z\"));");
    BackendUnderTest tested = folder().underTest(ModelFolder.config(4));

    try (var model = OpenModel.of(tested)) {
      assertThat(failures(model, 2))
          .first()
          .satisfies(failure -> {
            assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
            assertThat(failure).hasMessage("model 'm' reads input 'z', its inputs are [x]");
          });
      assertThat(failures(model, 1)).hasSize(1);
    }

    assertThat(tested.context().lines())
        .filteredOn(line -> line.startsWith("WARNING model"))
        .singleElement()
        .asString()
        .matches(
            "WARNING model 'm': infer fails at Model.java:\\d+: model 'm' reads input 'z', its inputs"
                + " are \\[x\\]");
  }

  @Test
  void nullIsAFailureWithASentence() {
    folder().withBody("return null;");

    try (var model = folder().open(ModelFolder.config(4))) {
      assertThat(failures(model, 1))
          .singleElement()
          .satisfies(failure ->
              assertThat(failure)
                  .hasMessage("model 'm': infer of class 'Model' has returned null"));
    }
  }

  @Test
  void anOutputThatIsNotDeclaredFailsItsRequestAndNoOther() {
    folder()
        .withBody(
            "if (TensorArrays.floats(request.input(\"x\"))[0] < 0) {"
                + " return Response.of(TensorArrays.of(\"z\", new float[1], 1, 1)); }\n"
                + ModelFolder.adding(1));

    try (var model = folder().open(ModelFolder.config(4))) {
      assertThat(failures(model, 1, -1, 2))
          .singleElement()
          .satisfies(failure -> {
            assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
            assertThat(failure)
                .hasMessage("model 'm': its outputs are [y], but it has returned 'z'");
          });
    }
  }

  @Test
  void aConstructorOrOpenThatFailsIsTheFailureOfTheLoad() {
    String model = ModelFolder.model("Model", "return Response.of();");
    String opened = "implements JavaModel { ";

    folder().with("Model.java", model.replace(opened.strip(), opened + "Model() {}"));
    assertThatThrownBy(() -> folder().open())
        .hasMessage("model 'm': class 'Model' needs a public constructor without parameters");

    folder()
        .with(
            "Model.java",
            model.replace(
                opened.strip(),
                opened + "public Model() { throw new IllegalStateException(\"no file\"); }"));
    assertThatThrownBy(() -> folder().open())
        .hasMessage(
            "model 'm': the constructor of class 'Model' failed: java.lang.IllegalStateException:"
                + " no file");

    folder()
        .with(
            "Model.java",
            model.replace(
                opened.strip(), opened + "static final int X = Integer.parseInt(\"x\");"));
    assertThatThrownBy(() -> folder().open())
        .hasMessageStartingWith("model 'm': the initialization of class 'Model' failed: ");

    System.clearProperty("nereid.test.java.closed");
    folder()
        .with(
            "Model.java",
            model.replace(
                opened.strip(),
                opened
                    + """
                    public void open(ModelContext context) { throw new LinkageError("no library"); }
                    public void close() { System.setProperty("nereid.test.java.closed", "yes"); }
                    """));
    assertThatThrownBy(() -> folder().open())
        .hasMessage("model 'm': open of class 'Model' failed: java.lang.LinkageError: no library");
    assertThat(System.clearProperty("nereid.test.java.closed")).isEqualTo("yes");
  }

  @Test
  void theRequestsOfABatchComeTogetherAndOneOfThemMayBeRefused() {
    folder()
        .with(
            "Model.java",
            ModelFolder.IMPORTS
                + """
                public final class Model implements BatchJavaModel {
                  @Override public List<Response> infer(List<Request> requests, List<Calls> calls) {
                    List<Response> responses = new ArrayList<>();
                    for (Request request : requests) {
                      float x = TensorArrays.floats(request.input("x"))[0];
                      responses.add(x < 0
                          ? Response.failed(InferenceException.invalid("one of " + requests.size()))
                          : Response.of(TensorArrays.of("y", new float[] {x}, 1, 1)));
                    }
                    if (requests.size() == 4) {
                      responses.removeLast();
                    }
                    return responses;
                  }
                }
                """);

    try (var model = folder().open(ModelFolder.config(4))) {
      assertThat(failures(model, 1, -1, 2))
          .singleElement()
          .satisfies(failure -> assertThat(failure).hasMessage("one of 3"));
      assertThat(failures(model, 1, 1, 2, 3))
          .hasSize(4)
          .allSatisfy(failure ->
              assertThat(failure)
                  .hasMessage(
                      "model 'm': infer of class 'Model' has returned 3 responses to 4 requests"));
    }
  }

  @Test
  void threadsThatAModelLeavesAreFoundByTheirContext() throws Exception {
    var loader = new ClassLoader() {};
    var thread =
        Thread.ofPlatform()
            .name("left behind")
            .unstarted(() -> {
              try {
                Thread.sleep(Long.MAX_VALUE);
              } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
              }
            });
    thread.setContextClassLoader(loader);
    thread.start();
    try {
      assertThat(LeftThreads.of(loader)).containsExactly("left behind");
      assertThat(LeftThreads.of(new ClassLoader() {})).isEmpty();
    } finally {
      thread.interrupt();
      thread.join();
    }
  }
}
