package io.nereid.junit.jvm;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.nereid.error.InferenceException;
import io.nereid.java.Calls;
import io.nereid.java.JavaModel;
import io.nereid.java.Request;
import io.nereid.java.Response;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a test does wrong with a tester is said where the test's author can find it. */
class TesterMistakesTest {
  private static final String FLOATS =
      """
      input { name: "x" data_type: TYPE_FP32 dims: [ -1 ] }
      output { name: "y" data_type: TYPE_FP32 dims: [ -1 ] }
      """;

  @TempDir Path models;

  @BeforeEach
  void makeModels() throws IOException {
    write(
        "quarter",
        "backend: \"java\"\n"
            + FLOATS
            + "parameters { key: \"calls\" value: { string_value: \"half\" } }");
    write("half", FLOATS);
  }

  private void write(String model, String config) throws IOException {
    Path folder = Files.createDirectories(models.resolve(model));
    Files.writeString(folder.resolve("config.pbtxt"), config);
  }

  private static Response empty(Request request, Calls calls) {
    return Response.of();
  }

  private ModelTester.Builder unstubbed(Class<?> type) {
    return ModelTester.of(models.resolve("quarter")).code(type);
  }

  private ModelTester.Builder quarter(Class<?> type) {
    return unstubbed(type).stub("half", TesterMistakesTest::empty);
  }

  @Test
  @SuppressWarnings("NullAway") // what a caller without it may do
  void aNullIsRefusedAtOnce() {
    assertThatNullPointerException()
        .isThrownBy(() -> ModelTester.of(models.resolve("quarter")).stub("half", null))
        .withMessage("the stub of model 'half' is null");
    assertThatNullPointerException()
        .isThrownBy(() -> ModelTester.of(models.resolve("quarter")).code(null))
        .withMessage("the class of the model is null");
  }

  @Test
  void allThatIsWrongInTheTextOfAStubIsSaid() {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() ->
            unstubbed(Unfinished.class)
                .stub("half", "max_batch_size: \"x\"\nno: 1", TesterMistakesTest::empty)
                .open())
        .withMessage(
            "the configuration of the stub of model 'half', 1:17: expected an integer without quotes,"
                + " got \"x\"; 2:1: unknown field 'no' in the configuration");
  }

  @Test
  void theFileOfAStubThatIsWrongIsNamedWhereItIs() throws IOException {
    write("half", FLOATS + "no: 1");

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> quarter(Unfinished.class).open())
        .withMessageStartingWith(models.resolve("half/config.pbtxt") + ", 3:1: unknown field 'no'");
  }

  @Test
  void whatIsMissingIsSaidWithASentence() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ModelTester.of(models.resolve("absent")).open())
        .withMessage("there is no folder %s of a model", models.resolve("absent"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ModelTester.of(models).open())
        .withMessage("there is no model in %s: it has no config.pbtxt", models);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> quarter(Unfinished.class).stub("half", FLOATS, TesterMistakesTest::empty))
        .withMessage("model 'half' is given a second stub");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> quarter(Unfinished.class).stub("third", TesterMistakesTest::empty).open())
        .withMessage(
            "there is a stub of model 'third', which model 'quarter' does not call: its parameter"
                + " 'calls' names [half]");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> unstubbed(Unfinished.class).stub("half", "", TesterMistakesTest::empty).open())
        .withMessage("the stub of model 'half' has no inputs or no outputs in its configuration");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> unstubbed(Unfinished.class).open())
        .withMessage("model 'quarter' calls model 'half', which has no stub");
  }

  static final class Hidden implements JavaModel {
    public Hidden() {}

    @Override
    public Response infer(Request request, Calls calls) {
      return Response.of();
    }
  }

  /** Is only to be extended. */
  public abstract static class Unfinished implements JavaModel {}

  /** Has a constructor of its own. */
  public static final class Built implements JavaModel {
    private final String name;

    public Built(String name) {
      this.name = name;
    }

    @Override
    public Response infer(Request request, Calls calls) {
      throw InferenceException.internal(name);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Hidden     | is not public",
        "Unfinished | is abstract",
        "Built      | needs a public constructor without parameters"
      })
  void aClassOfWhichNoObjectIsMadeIsRefusedWithASentence(String type, String reason)
      throws ClassNotFoundException {
    String name = TesterMistakesTest.class.getName() + "$" + type;
    Class<?> code = Class.forName(name);

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> quarter(code).open())
        .withMessage(
            "1 of 1 models did not load: quarter (Invalid argument: model 'quarter': class '%s' %s)",
            name, reason);
  }
}
