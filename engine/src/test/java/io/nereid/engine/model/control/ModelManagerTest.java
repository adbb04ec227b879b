package io.nereid.engine.model.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.engine.model.ModelId;
import io.nereid.engine.model.ModelState;
import io.nereid.engine.model.Readiness;
import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Repositories of models of the TCK's echo backend. */
class ModelManagerTest extends ManagerUnderTest {
  @TempDir private Path first;
  @TempDir private Path second;

  @Override
  protected List<Path> repositories() {
    return List.of(first, second);
  }

  private static void model(Path repository, String name, String more, long... versions)
      throws IOException {
    Path directory = Files.createDirectories(repository.resolve(name));
    Files.writeString(
        directory.resolve("config.pbtxt"),
        """
        backend: "tck_echo"
        input { name: "INPUT0" data_type: TYPE_FP32 dims: -1 }
        output { name: "OUTPUT0" data_type: TYPE_FP32 dims: -1 }
        """
            + more);
    for (long version : versions) {
      Files.createDirectories(directory.resolve(Long.toString(version)));
    }
  }

  @Test
  void servesTheVersionsOfThePolicyAndTheNewestByDefault() throws IOException {
    model(first, "newest", "", 1, 3, 7);
    model(second, "some", "version_policy { specific { versions: [ 1, 3 ] } }", 1, 3, 7);

    assertThat(manager.loadAll()).isTrue();

    assertThat(registry.readyVersions("newest")).containsExactly(7L);
    assertThat(registry.readyVersions("some")).containsExactly(1L, 3L);
    assertThat(registry.find("some", OptionalLong.empty()).key().version()).isEqualTo(3);
    assertThat(registry.obstacle(Readiness.EVERY_MODEL)).isEmpty();
  }

  @Test
  void servesTheOtherModelsIfOneFailsToLoad() throws IOException {
    model(first, "good", "", 1);
    model(first, "broken", "max_batch_size: -1", 1);
    model(first, "without_backend", "", 1);
    Files.writeString(first.resolve("without_backend/config.pbtxt"), "backend: \"missing\"");

    assertThat(manager.loadAll()).isFalse();

    assertThat(registry.isReady("good", OptionalLong.empty())).isTrue();
    assertThat(registry.obstacle(Readiness.EVERY_MODEL)).isPresent();
    fails("broken", OptionalLong.empty(), StatusCode.NOT_FOUND, "'broken' is not found");
    fails("without_backend", OptionalLong.of(1), StatusCode.UNAVAILABLE, "not at ready state");
    fails("without_backend", OptionalLong.of(2), StatusCode.NOT_FOUND, "version 2 is not found");
    fails("unknown", OptionalLong.empty(), StatusCode.NOT_FOUND, "'unknown' is not found");
  }

  @Test
  void warnsOfRepositoriesWithoutADirectoryOfAModel() throws IOException {
    Files.createFile(first.resolve("model.onnx")); // as in the directory of a version
    try (var log = new LogCapture(ModelManager.class.getName())) {
      assertThat(manager.loadAll()).isTrue();

      assertThat(log.messages())
          .contains(
              "no directory of a model, such as <name>/1/model.onnx, is in [%s, %s]; --model-name"
                      .formatted(first, second)
                  + " serves a model file without one");
    }
  }

  @Test
  void rejectsAModelThatIsInTwoRepositories() throws IOException {
    model(first, "twin", "", 1);
    model(second, "twin", "", 1);

    assertThat(manager.loadAll()).isFalse();

    fails("twin", OptionalLong.empty(), StatusCode.NOT_FOUND, "'twin' is not found");
  }

  @Test
  void loadsADecoupledModel() throws IOException {
    model(first, "decoupled", "model_transaction_policy { decoupled: true }", 1);

    assertThat(manager.loadAll()).isTrue();

    assertThat(registry.find("decoupled", OptionalLong.of(1)).config().decoupled()).isTrue();
  }

  @Test
  void loadsSequenceModels() throws IOException {
    model(first, "sequence", "sequence_batching {}", 1);

    assertThat(manager.loadAll()).isTrue();

    assertThat(registry.find("sequence", OptionalLong.of(1)).config().sequence()).isPresent();
  }

  @Test
  void rejectsAModelWithANativeBatchingLibrary() throws IOException {
    model(
        first,
        "custom",
        """
        dynamic_batching {}
        parameters {
          key: "TRITON_BATCH_STRATEGY_PATH"
          value { string_value: "/opt/volume.so" }
        }
        """,
        1);

    assertThat(manager.loadAll()).isFalse();

    assertThat(registry.entry(new ModelId("", "custom")).versions().get(1L))
        .isInstanceOfSatisfying(
            ModelState.Unavailable.class,
            state ->
                assertThat(state.reason())
                    .startsWith(
                        "Unsupported: model 'custom': parameter 'TRITON_BATCH_STRATEGY_PATH' names"
                            + " the native library '/opt/volume.so'"));
  }

  @Test
  void listsAndChangesNothingOnceTheServerStops() throws IOException {
    model(first, "model", "", 1);
    manager.loadAll();
    manager.stop().join();

    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> manager.index(false),
            () -> manager.load("model", LoadParameters.NONE),
            () -> manager.unload("model", false))) {
      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(call)
          .withMessage("Server not ready")
          .matches(failure -> failure.code() == StatusCode.UNAVAILABLE);
    }
  }

  @Test
  void theErrorNamesARepositoryThatCannotBeRead() {
    ModelManager missing = manager(List.of(first.resolve("missing")));

    assertThatThrownBy(missing::loadAll)
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining(first.resolve("missing").toString());
  }

  private void fails(String name, OptionalLong version, StatusCode code, String text) {
    assertThatThrownBy(() -> registry.find(name, version))
        .isInstanceOfSatisfying(
            InferenceException.class, failure -> assertThat(failure.code()).isEqualTo(code))
        .hasMessageContaining(text);
  }
}
