package io.nereid.java.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.backend.BackendFactory;
import io.nereid.tck.backend.DeclarationsVerification;
import io.nereid.tck.backend.ErrorVerification;
import io.nereid.tck.backend.ExecutionVerification;
import io.nereid.tck.backend.LifecycleVerification;
import io.nereid.tck.backend.MemoryVerification;
import io.nereid.tck.backend.ThreadingVerification;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The TCK's backend rules for a simple model, and for one that is a backend itself. */
class JavaBackendVerificationTest {
  @TempDir static Path directory;

  private static BackendUnderTest simple;
  private static BackendUnderTest broken;
  private static BackendUnderTest own;

  @BeforeAll
  static void makeModels() throws IOException {
    simple =
        new ModelFolder(directory.resolve("simple"))
            .withBody(ModelFolder.adding(1))
            .underTest(ModelFolder.config(7));
    broken =
        new ModelFolder(directory.resolve("broken"))
            .with("Model.java", "no Java")
            .underTest(ModelFolder.config(7));
    String echo =
        Files.readString(Path.of("../tck/src/main/java/io/nereid/tck/echo/EchoBackend.java"));
    own =
        new ModelFolder(directory.resolve("own"))
            .with("EchoBackend.java", echo.replace("package io.nereid.tck.echo;", ""))
            .underTest(
                ModelConfig.of("m", "java")
                    .withSignature(
                        0,
                        List.of(TensorConfig.of("INPUT0", DataType.FP32, Shape.of(-1))),
                        List.of(TensorConfig.of("OUTPUT0", DataType.FP32, Shape.of(-1)))));
  }

  /** Has every verification use the same model. */
  interface Simple extends BackendFactory {
    @Override
    default BackendUnderTest backend() {
      return simple;
    }
  }

  @Nested
  class Lifecycle extends LifecycleVerification implements Simple {}

  @Nested
  class Execution extends ExecutionVerification implements Simple {}

  @Nested
  class Memory extends MemoryVerification implements Simple {}

  @Nested
  class Threading extends ThreadingVerification implements Simple {}

  @Nested
  class Declarations extends DeclarationsVerification implements Simple {}

  @Nested
  class Errors extends ErrorVerification implements Simple {
    @Override
    protected BackendUnderTest unloadable() {
      return broken;
    }
  }

  @Nested
  class OwnBackend extends ExecutionVerification {
    @Override
    public BackendUnderTest backend() {
      return own;
    }
  }

  @Nested
  class LifecycleOfAnOwnBackend extends LifecycleVerification {
    @Override
    public BackendUnderTest backend() {
      return own;
    }
  }

  @Test
  void aModelDeclaresWhatTheConfigurationLacks() {
    var folder =
        new ModelFolder(directory.resolve("declared"))
            .with(
                "Model.java",
                ModelFolder.model("Model", ModelFolder.adding(1))
                    .replace(
                        "implements JavaModel {",
                        """
                        implements JavaModel {
                          @Override public ModelConfig complete(ModelConfig config) {
                            return config.toBuilder()
                                .maxBatchSize(3)
                                .inputs(TensorConfig.of("x", DataType.FP32, Shape.of(2)))
                                .outputs(TensorConfig.of("y", DataType.FP32, Shape.of(2)))
                                .build();
                          }
                        """));

    try (var model = folder.open(ModelConfig.of("m", "java"))) {
      assertThat(model.config().maxBatchSize()).isEqualTo(3);
      assertThat(model.config().input("x").orElseThrow().dims()).isEqualTo(Shape.of(2));
    }
  }
}
