package io.nereid.java.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.config.ModelConfig;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelFiles.Trust;
import io.nereid.tck.TestContext;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whose code runs, and when. */
class CodePermissionTest {
  private static final String RAN = "nereid.test.java.ran";

  @TempDir Path directory;

  /** A model that leaves a system property as soon as any of its code runs. */
  private ModelFiles files(Trust trust) {
    new ModelFolder(directory)
        .with(
            "Model.java",
            ModelFolder.model("Model", ModelFolder.adding(1))
                .replace(
                    "implements JavaModel {",
                    "implements JavaModel { static { System.setProperty(\"%s\", \"yes\"); }"
                        .formatted(RAN)));
    System.clearProperty(RAN);
    return new ModelFiles(directory, 1, trust);
  }

  private static JavaBackend backend(Map<String, String> options) {
    return (JavaBackend) new JavaBackendProvider().open(TestContext.of("java", options));
  }

  private static final ModelConfig BARE = ModelConfig.of("m", "java");

  @Test
  void noCodeRunsUnlessTheOperatorSaysSo() {
    ModelFiles files = files(Trust.OPERATOR);
    for (Map<String, String> options :
        List.of(Map.<String, String>of(), Map.of("allow", "false"))) {
      assertThatThrownBy(() -> backend(options).complete(files, BARE))
          .hasMessage(
              "model 'm' of backend 'java' is refused: its code would run in the server, and the"
                  + " operator has not set --backend-config=java,allow=true");
      assertThatThrownBy(() -> backend(options).load(files, ModelFolder.config(0)))
          .hasMessageContaining("has not set --backend-config=java,allow=true");
    }
    assertThat(System.getProperty(RAN)).isNull();
  }

  @Test
  void theLogWarnsWhereItIsAllowedAndOnlyThere() {
    var context = TestContext.of("java");
    for (Map<String, String> options : List.of(Map.<String, String>of(), ModelFolder.ALLOWED)) {
      context = context.withOptions(options);
      new JavaBackendProvider().open(context).close();
      assertThat(context.lines()).hasSize(options.size());
    }
    assertThat(context.lines().getFirst())
        .isEqualTo(
            "WARNING --backend-config=java,allow=true: every user who can write to a model"
                + " repository can run code in the server, as its user");
  }

  @Test
  void theOptionIsTrueOrFalse() {
    assertThat(backend(Map.of("allow", "TRUE")).permission().allowed()).isTrue();
    assertThatThrownBy(() -> backend(Map.of("allow", "yes")))
        .hasMessageContaining("allow")
        .hasMessageContaining("yes");
  }

  @Test
  void noCodeOfALoadRequestRunsEvenIfTheOperatorAllowsModels() {
    ModelFiles files = files(Trust.CLIENT);
    JavaBackend backend = backend(Map.of("allow", "true"));

    assertThatThrownBy(() -> backend.complete(files, BARE))
        .hasMessageStartingWith("model 'm' of backend 'java' is refused in a load request");
    assertThatThrownBy(() -> backend.load(files, ModelFolder.config(0)))
        .hasMessageStartingWith("model 'm' of backend 'java' is refused in a load request");
    assertThat(System.getProperty(RAN)).isNull();
  }

  @Test
  void aCheckCompilesAndRunsNoCode() {
    ModelFiles files = files(Trust.CHECK);

    assertThat(backend(ModelFolder.ALLOWED).complete(files, BARE)).isEqualTo(BARE);
    assertThatThrownBy(() -> backend(Map.of()).complete(files, BARE))
        .hasMessageContaining("has not set");
    new ModelFolder(directory).with("Broken.java", "no Java");
    assertThatThrownBy(() -> backend(ModelFolder.ALLOWED).complete(files, BARE))
        .hasMessageStartingWith("model 'm' cannot be compiled: Broken.java:1: ");
    assertThat(System.getProperty(RAN)).isNull();
  }

  @Test
  void aCompilationRunsNoPluginOfTheModel() {
    ModelFiles files = files(Trust.CHECK);
    new ModelFolder(directory)
        .with("META-INF/services/com.sun.source.util.Plugin", "Auto")
        .withClasses(
            "Auto.java",
            """
            public final class Auto implements com.sun.source.util.Plugin {
              @Override public String getName() { return "auto"; }
              @Override public boolean autoStart() { return true; }
              @Override public void init(com.sun.source.util.JavacTask task, String... arguments) {
                System.setProperty("%s", "yes");
              }
            }
            """
                .formatted(RAN));

    assertThat(backend(ModelFolder.ALLOWED).complete(files, BARE)).isEqualTo(BARE);
    assertThat(System.getProperty(RAN)).isNull();
  }

  @Test
  void allowedCodeOfARepositoryRuns() {
    ModelFiles files = files(Trust.OPERATOR);
    try (var model = backend(Map.of("allow", "true")).load(files, ModelFolder.config(0))) {
      assertThat(model).isNotNull();
    }
    assertThat(System.getProperty(RAN)).isEqualTo("yes");
    System.clearProperty(RAN);
  }
}
