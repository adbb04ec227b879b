package io.nereid.engine.model.control.lifecycle;

import static io.nereid.engine.model.control.lifecycle.ControlledRepository.TENSORS;
import static io.nereid.engine.model.control.lifecycle.ControlledRepository.config;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.control.LoadParameters;
import io.nereid.engine.model.control.lifecycle.ModelLoads.Point;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tck.scheduler.TestResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Models that a client loads with files of its own, which are in a temporary directory. */
class OverrideFilesTest extends LifecycleTests {
  private static final String CONFIG =
      """
      {"backend": "lifecycle", "max_batch_size": 0, "version_policy": {"all": {}},
       "input": [{"name": "IN0", "data_type": "TYPE_FP32", "dims": [4]}],
       "output": [{"name": "OUT0", "data_type": "TYPE_FP32", "dims": [4],
                   "label_filename": "labels.txt"}],
       "instance_group": [{"name": "g", "kind": "KIND_CPU", "count": 1}]}
      """;

  private static final String ENSEMBLE =
      """
      {"platform": "ensemble", "max_batch_size": 0,
       "input": [{"name": "IN0", "data_type": "TYPE_FP32", "dims": [4]}],
       "output": [{"name": "OUT0", "data_type": "TYPE_FP32", "dims": [4],
                   "label_filename": "labels.txt"}],
       "ensemble_scheduling": {"step": [{"model_name": "m", "model_version": -1,
         "input_map": {"IN0": "IN0"}, "output_map": {"OUT0": "OUT0"}}]}}
      """;

  @TempDir private Path temporary;
  private String formerTemporary;

  @BeforeEach
  @Override
  protected void open() {
    formerTemporary =
        Objects.requireNonNull(System.setProperty("java.io.tmpdir", temporary.toString()));
    super.open();
  }

  @AfterEach
  void restoreTemporaryDirectory() {
    System.setProperty("java.io.tmpdir", formerTemporary);
  }

  @AfterEach
  @Override
  protected void close() {
    super.close();
    assertThat(directories()).isZero();
  }

  /** How many directories of models there are, in that of this process. */
  private int directories() {
    int depth = 3;
    try (Stream<Path> paths = Files.walk(temporary, depth)) {
      return (int) paths.filter(path -> temporary.relativize(path).getNameCount() == depth).count();
    } catch (UncheckedIOException deletedMeanwhile) {
      return directories();
    } catch (IOException failed) {
      throw new AssertionError(failed);
    }
  }

  private static Map<String, ByteBuffer> files(long... versions) {
    var files = new HashMap<String, ByteBuffer>();
    files.put("labels.txt", ByteBuffer.wrap("client's\n".getBytes(UTF_8)));
    for (long version : versions) {
      files.put(version + "/model.bin", ByteBuffer.wrap(new byte[] {1, 2, 3}));
    }
    return files;
  }

  private List<String> labels(String model) {
    List<byte[]> lines = registry.find(model, OptionalLong.empty()).labels("OUT0").lines();
    return lines.stream().map(line -> new String(line, UTF_8)).toList();
  }

  @Test
  void aModelWithoutDirectoryServesTheFilesUntilItIsUnloaded() {
    loadWith("sent", CONFIG, files(3, 5));

    assertThat(registry.readyVersions("sent")).containsExactly(3L, 5L);
    assertThat(labels("sent")).containsExactly("client's");
    assertThat(index()).isEmpty();
    assertThat(directories()).isEqualTo(1);
    TestResponse held = submitHeld("sent", "held");
    unload("sent");
    assertThat(directories()).isEqualTo(1);
    gate("sent").openAll();
    assertThat(held.await().failure()).isEmpty();
    await(() -> directories() == 0, "the directory to be deleted");
    assertThat(loadFailure("sent")).hasMessageContaining("failed to poll");
  }

  @Test
  void aModelConsistsOfTheFilesAlone() {
    repository.model("m", config("version_policy { all {} }"), 1, 2);
    load("m");

    loadWith("m", CONFIG, files(7));

    awaitIndex("m 1 UNAVAILABLE unloaded", "m 2 UNAVAILABLE unloaded", "m 7 READY");
    assertThat(labels("m")).containsExactly("client's");
  }

  @Test
  void theNextLoadWithoutFilesReplacesThem() {
    repository.model("m", 1);
    loadWith("m", CONFIG, files(7));

    load("m");

    awaitIndex("m 1 READY", "m 7 UNAVAILABLE unloaded");
    await(() -> directories() == 0, "the directory to be deleted");
  }

  @Test
  void aLoadWithTheConfigurationOnlyUsesTheRepositorysFiles() {
    repository.model("m", 1).write("m/labels.txt", "repository's\n");
    loadWith("m", CONFIG, files(1));

    loadWith("m", CONFIG);

    assertThat(labels("m")).containsExactly("repository's");
    await(() -> directories() == 0, "the directory to be deleted");
  }

  @Test
  void otherFilesReplaceTheFormer() {
    loadWith("sent", CONFIG, files(1, 2));
    loadWith("sent", CONFIG, files(2));

    assertThat(registry.readyVersions("sent")).containsExactly(2L);
    await(() -> directories() == 1, "the former directory to be deleted");
  }

  @Test
  void aFailedLoadLeavesTheFormerFilesInForce() {
    loadWith("sent", CONFIG, files(1));
    loads("sent").fail(Point.LOAD, 2, InferenceException.invalid("no"));

    assertThat(failure(() -> loadWith("sent", CONFIG, files(2))))
        .hasMessage(
            "load failed for model 'sent': version 2 is at UNAVAILABLE state: Invalid argument:"
                + " no;\n");

    assertThat(registry.readyVersions("sent")).containsExactly(1L);
    await(() -> directories() == 1, "the failed directory to be deleted");
    execute("sent", "r");
  }

  @Test
  void aFirstLoadThatFailsLeavesNothing() {
    loads("sent").fail(Point.LOAD, 1, InferenceException.invalid("no"));

    assertThat(failure(() -> loadWith("sent", CONFIG, files(1)))).hasMessageContaining("no");

    await(() -> directories() == 0, "the directory to be deleted");
  }

  @Test
  void filesWithoutConfigurationAreRejected() {
    repository.model("m", 1);
    load("m");

    var failure = failure(() -> manager.load("m", new LoadParameters(Optional.empty(), files(2))));

    assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
    assertThat(failure)
        .hasMessageStartingWith("failed to load 'm', failed to poll from model repository");
    assertThat(index()).containsExactly("m 1 READY");
  }

  @ParameterizedTest
  @ValueSource(strings = {"../escaped", "/etc/escaped", "1/../../escaped", "1//x", "", "1/."})
  void pathsThatLeaveTheDirectoryAreRejected(String path) {
    repository.model("m", 1);
    load("m");

    var failure =
        failure(() -> loadWith("m", CONFIG, Map.of(path, ByteBuffer.wrap(new byte[] {1}))));

    assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
    assertThat(failure)
        .hasMessageStartingWith("failed to load 'm', failed to poll from model repository");
    assertThat(index()).containsExactly("m 1 READY");
    assertThat(directories()).isZero();
  }

  @Test
  void anInvalidConfigurationLeavesNoFiles() {
    assertThat(failure(() -> loadWith("sent", "{\"max_batch_size\": -1}", files(1))))
        .hasMessageContaining("failed to poll");
    assertThat(directories()).isZero();
  }

  @Test
  void theFilesOfAnEnsembleStayWhileItFollowsItsModels() {
    repository.model("m", 1);
    load("m");
    loadWith("e", ENSEMBLE, files(1));
    for (int i = 0; i < 3; i++) {
      repository.touch("m/1/model.bin");
      load("m");
      assertThat(labels("e")).containsExactly("client's");
    }

    unload("m");
    load("m");

    assertThat(labels("e")).containsExactly("client's");
    assertThat(directories()).isEqualTo(1);
    unload("e");
    await(() -> directories() == 0, "the directory to be deleted");
  }

  @Test
  void aModelThatFailedWithFilesLoadsFromTheRepository() {
    repository.model("m", TENSORS + "backend: \"lifecycle\"", 1);
    loads("m").fail(Point.LOAD, 7, InferenceException.invalid("no"));
    failure(() -> loadWith("m", CONFIG, files(7)));

    load("m");

    assertThat(registry.readyVersions("m")).containsExactly(1L);
  }
}
