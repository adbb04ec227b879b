package io.nereid.java.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.java.TensorArrays;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.TestContext;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.Tensors;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sources, classes and jars in a version's folder. */
class ModelCodeTest {
  @TempDir Path directory;

  private ModelFolder folder() {
    return new ModelFolder(directory);
  }

  private static float[] answer(OpenModel model) {
    var x = TensorArrays.of("x", new float[] {1, 2}, 2);
    return TensorArrays.floats(Tensors.named(model.execute(List.of(List.of(x))).outputs(0), "y"));
  }

  private static ModelConfig choosing(String name) {
    return ModelFolder.config(0).toBuilder().parameter("class", name).build();
  }

  @Test
  void oneSourceIsCompiledAndServed() {
    try (var model = folder().withBody(ModelFolder.adding(10)).open()) {
      assertThat(answer(model)).containsExactly(11, 12);
    }
  }

  @Test
  void anyThreadMayAskWhetherTheClientHasLeft() {
    String body =
        """
        boolean[] isCancelled = {true};
        Thread other = new Thread(() -> isCancelled[0] = request.isCancelled());
        other.start();
        other.join();
        float[] y = {isCancelled[0] ? 1 : 0, request.remaining().isPresent() ? 1 : 0};
        return Response.of(TensorArrays.of("y", y, 2));
        """;

    try (var model = folder().withBody(body).open()) {
      assertThat(answer(model)).containsExactly(0, 0);
    }
  }

  @Test
  void sourcesLieInFoldersOfTheirPackages() {
    folder()
        .with("com/acme/Number.java", "package com.acme; class Number { static int ONE = 1; }")
        .with(
            "com/acme/Model.java",
            "package com.acme;\n"
                + ModelFolder.model("Model", ModelFolder.adding(0))
                    .replace("x[i] += 0", "x[i] += Number.ONE"));

    try (var model = folder().open()) {
      assertThat(answer(model)).containsExactly(2, 3);
    }
  }

  @Test
  void classesAndJarsNeedNoCompiler() {
    folder().withClasses("Model.java", ModelFolder.model("Model", ModelFolder.adding(5)));
    var withoutCompiler =
        new JavaBackend(TestContext.of("java"), new CodePermission(true), null, Map.of());
    try (var model = withoutCompiler.load(new ModelFiles(directory, 1), ModelFolder.config(0))) {
      assertThat(model).isNotNull();
    }
    folder().packed("model.jar");
    assertThat(directory.resolve("1/Model.class")).doesNotExist();

    try (var model = folder().open()) {
      assertThat(answer(model)).containsExactly(6, 7);
    }
  }

  @Test
  void aSourceIsCompiledAgainstTheJarsBesideIt() {
    folder().withClasses("Number.java", "public class Number { public static int TWO = 2; }");
    folder().packed("number.jar");
    folder().withBody(ModelFolder.adding(0).replace("x[i] += 0", "x[i] += Number.TWO"));

    try (var model = folder().open()) {
      assertThat(answer(model)).containsExactly(3, 4);
    }
  }

  @Test
  void defaultModelFilenameNamesOneOfSeveralFiles() {
    folder().with("One.java", ModelFolder.model("One", ModelFolder.adding(1)));
    folder().with("Two.java", ModelFolder.model("Two", ModelFolder.adding(2)));

    var config = ModelFolder.config(0).toBuilder().defaultModelFilename("Two.java").build();
    try (var model = folder().open(config)) {
      assertThat(answer(model)).containsExactly(3, 4);
    }
  }

  @Test
  void aFileThatChangesLaterChangesNothing() throws Exception {
    folder()
        .withClasses(
            "Model.java",
            ModelFolder.model("Model", ModelFolder.adding(5).replace("+= 5", "+= Later.FIVE"))
                + "class Later { static int FIVE = 5; }");
    folder().packed("model.jar");

    try (var model = folder().open()) {
      Files.writeString(directory.resolve("1/model.jar"), "no jar any more");
      assertThat(answer(model)).containsExactly(6, 7);
    }
  }

  @Test
  void anErrorOfTheCompilerIsInTheFailureWithFileLineAndMessage() {
    folder().with("com/acme/Model.java", "package com.acme;\nclass Model {\n  int x = y;\n}\n");

    assertThatThrownBy(() -> folder().open())
        .isInstanceOfSatisfying(
            InferenceException.class,
            failure -> assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT))
        .hasMessageStartingWith(
            "model 'm' cannot be compiled: com/acme/Model.java:3: cannot find symbol")
        .hasMessageNotContaining("\n");
  }

  @ParameterizedTest
  @CsvSource({"1,0", "5,0", "6,1", "100,95"})
  void fiveErrorsAreToldAndTheOthersCounted(int errors, int untold) {
    folder().with("Model.java", "class Model {\n" + fields(errors));

    assertThatThrownBy(() -> folder().open())
        .satisfies(failure -> {
          String message = String.valueOf(failure.getMessage());
          assertThat(message.split("Model.java:", -1)).hasSize(1 + Math.min(errors, 5));
          assertThat(message.contains("more errors")).isEqualTo(untold > 0);
          assertThat(message).contains(untold > 0 ? "; and %d more errors".formatted(untold) : "");
          assertThat(message.length()).isLessThan(2_000);
        });
  }

  private static String fields(int count) {
    var text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append("  int x").append(i).append(" = \"").append("long ".repeat(100)).append("\";\n");
    }
    return text.append("}\n").toString();
  }

  @Test
  void withoutACompilerASourceIsNotServed() {
    folder().withBody(ModelFolder.adding(1));
    var withoutCompiler =
        new JavaBackend(TestContext.of("java"), new CodePermission(true), null, Map.of());

    assertThatThrownBy(
            () -> withoutCompiler.load(new ModelFiles(directory, 1), ModelFolder.config(0)))
        .hasMessageContaining("model 'm' is Java source, and the Java runtime in ")
        .hasMessageContaining("has no compiler: run the server on a JDK");
  }

  @Test
  void ofSeveralModelsTheParameterClassNamesOne() {
    folder().with("One.java", ModelFolder.model("One", ModelFolder.adding(1)));
    folder()
        .with(
            "Two.java",
            ModelFolder.model("Base", "return Response.of();")
                    .replace("public final class Base", "abstract class Base")
                + "public class Two extends Base {}\n");

    assertThatThrownBy(() -> folder().open())
        .hasMessage("model 'm': parameter 'class' must name one of the classes One, Two");
    try (var model = folder().open(choosing("One"))) {
      assertThat(answer(model)).containsExactly(2, 3);
    }
  }

  @Test
  void aClassThatIsMissingOrNoModelIsRefused() {
    folder().withBody(ModelFolder.adding(1)).with("Other.java", "public class Other {}");

    assertThatThrownBy(() -> folder().open(choosing("com.acme.None")))
        .hasMessageStartingWith("model 'm': there is no class 'com.acme.None' in '");
    assertThatThrownBy(() -> folder().open(choosing("Other")))
        .hasMessage(
            "model 'm': class 'Other' implements none of io.nereid.java.BatchJavaModel,"
                + " io.nereid.java.JavaModel, io.nereid.spi.BackendProvider");
  }

  @Test
  void aFolderWithoutAModelIsRefused() throws Exception {
    assertThatThrownBy(() -> folder().open()).hasMessageStartingWith("unable to find '");
    Files.createDirectories(folder().version());
    assertThatThrownBy(() -> folder().open())
        .hasMessageStartingWith("model 'm' has neither source nor class nor jar in '");
    folder().with("Other.java", "public class Other {}");
    assertThatThrownBy(() -> folder().open())
        .hasMessageStartingWith("model 'm': no public class in '");
    folder().with("Bad.class", "no class");
    assertThatThrownBy(() -> folder().open())
        .hasMessageStartingWith("model 'm': 'Bad.class' is no class file: ");
  }

  @Test
  void aClassThatIsNotPublicIsRefusedAsThat() {
    String source = ModelFolder.model("Model", ModelFolder.adding(1));
    folder().with("Model.java", source.replace("public final class", "final class"));

    assertThatThrownBy(() -> folder().open())
        .hasMessageStartingWith("model 'm': class Model in '")
        .hasMessageEndingWith("' is not public");
    assertThatThrownBy(() -> folder().open(choosing("Model")))
        .hasMessage("model 'm': class 'Model' is not public");
  }

  @Test
  void codeSeesThePlatformAndTheContractOnly() {
    folder()
        .withBody(
            """
            for (String name : List.of("io.nereid.tck.BackendUnderTest", "org.junit.jupiter.api.Test",
                "io.nereid.java.backend.JavaBackend", "io.nereid.java.code.ModelClass")) {
              try {
                throw new IllegalStateException("sees " + Class.forName(name));
              } catch (ClassNotFoundException expected) {
              }
            }
            if (Model.class.getResource("/META-INF/services/io.nereid.spi.BackendProvider") != null) {
              throw new IllegalStateException("sees services");
            }
            ClassLoader context = Thread.currentThread().getContextClassLoader();
            if (context != Model.class.getClassLoader() || !context.getName().equals("m-1")) {
              throw new IllegalStateException("context is " + context);
            }
            Class.forName("java.sql.Connection");
            """
                + ModelFolder.adding(0));

    try (var model = folder().open()) {
      assertThat(answer(model)).containsExactly(1, 2);
    }
  }

  @Test
  void resourcesAndServicesLieBesideTheClasses() {
    folder()
        .with("labels.txt", "a b c")
        .with("META-INF/services/java.util.function.IntSupplier", "Seven")
        .with(
            "Seven.java",
            "public class Seven implements java.util.function.IntSupplier {"
                + " public int getAsInt() { return 7; } }")
        .withBody(
            """
            String labels;
            try (var in = Model.class.getResourceAsStream("labels.txt")) {
              labels = new String(in.readAllBytes());
            }
            int seven =
                ServiceLoader.load(java.util.function.IntSupplier.class)
                    .findFirst()
                    .get()
                    .getAsInt();
            return Response.of(TensorArrays.of("y", new float[] {labels.length(), seven}, 2));
            """);

    try (var model = folder().open()) {
      assertThat(answer(model)).containsExactly(5, 7);
    }
  }

  @Test
  void aModelHasTheLogOfTheBackendAndMetricsOfItsVersion() {
    folder()
        .with(
            "Model.java",
            ModelFolder.model("Model", "rows.increment();\n" + ModelFolder.adding(0))
                .replace(
                    "implements JavaModel {",
                    """
                    implements JavaModel {
                      private io.nereid.spi.metrics.Counter rows;

                      @Override public void open(ModelContext context) {
                        rows = context.metrics().counter("answers_total", "Answers.");
                        context.logger().log(System.Logger.Level.INFO, "here I am");
                      }
                    """));
    BackendUnderTest tested = folder().underTest(ModelFolder.config(0));

    try (var model = OpenModel.of(tested)) {
      answer(model);
      answer(model);

      assertThat(tested.context().lines())
          .contains("INFO model 'm': class 'Model'", "INFO here I am");
      assertThat(tested.context().store().families())
          .singleElement()
          .satisfies(family -> {
            assertThat(family.name()).isEqualTo("answers_total");
            assertThat(family.metric(Map.of("model", "m", "version", "1"))).isPresent();
          });
    }
    assertThat(tested.context().store().families()).isEmpty();
  }
}
