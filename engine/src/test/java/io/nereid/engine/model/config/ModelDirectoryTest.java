package io.nereid.engine.model.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.engine.model.repository.SpecialFiles;
import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ModelDirectoryTest {
  @TempDir private Path repository;

  private ModelOnDisk model;

  @BeforeEach
  void makeModel() {
    model = ModelOnDisk.named(repository, "m");
  }

  @Test
  void listsDecimalDirectoriesAsVersionsInNumericOrder() {
    for (String name : List.of("10", "0", "2", "02", "abc", "1abc", "-1", "warmup", "configs")) {
      model.withDirectory(name);
    }
    model.withDirectory("9223372036854775808").withDirectory("٣").withFile("3", "a file");

    assertThat(model.directory().versions()).containsExactly(0L, 2L, 10L);
  }

  @Test
  void logsAWarningForDirectoriesThatAreNoVersionsExceptKnownOnes() {
    model.withDirectory("1").withDirectory("02").withDirectory("abc");
    model.withDirectory("warmup").withDirectory("initial_state").withDirectory("configs");

    assertThat(warningsOf(() -> model.directory().versions()))
        .hasSize(2)
        .anyMatch(warning -> warning.contains("'02'"))
        .anyMatch(warning -> warning.contains("'abc'"));
    assertThat(warningsOf(() -> model.directory().firstVersionDirectory())).isEmpty();
  }

  @Test
  void reportsADirectoryThatCannotBeListed() {
    assertThatThrownBy(() -> new ModelDirectory(repository.resolve("gone")).versions())
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining("model 'gone'");
  }

  @Test
  void prefersTheNamedConfigurationIfItExists() {
    model.withConfig("").withFile("configs/small.pbtxt", "");
    ModelDirectory directory = model.directory();

    assertThat(directory.configFile(Optional.of("small")))
        .contains(model.path().resolve("configs/small.pbtxt"));
    assertThat(directory.configFile(Optional.of("large")))
        .contains(model.path().resolve("config.pbtxt"));
    assertThat(directory.configFile(Optional.empty()))
        .contains(model.path().resolve("config.pbtxt"));
  }

  @Test
  void findsFilesOnlyInsideTheModel() throws IOException {
    Files.writeString(repository.resolve("secret"), "");
    Files.createSymbolicLink(model.path().resolve("link"), repository.resolve("secret"));
    model.withFile("deep/labels.txt", "");
    ModelDirectory directory = model.directory();

    assertThat(directory.fileInside("deep/../deep/labels.txt")).isPresent();
    assertThat(directory.fileInside("../secret")).isEmpty();
    assertThat(directory.fileInside("../not there")).isEmpty();
    assertThat(directory.fileInside(repository.resolve("secret").toString())).isEmpty();
    assertThat(directory.fileInside("link")).isEmpty();
    assertThatThrownBy(() -> directory.fileInside("none")).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void findsNoFileByANameThatNoneCanHave() {
    assertThatThrownBy(() -> model.directory().fileInside("a\0b"))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  @Timeout(30)
  void onlyRegularFilesAreRead() throws Exception {
    Path directory = model.directory().path();
    for (Path file :
        List.of(SpecialFiles.pipe(directory), SpecialFiles.device(directory), directory)) {
      assertThatThrownBy(() -> ModelDirectory.read(file))
          .isInstanceOf(FileSystemException.class)
          .hasMessage(file + ": it is not a regular file");
    }
  }

  @Test
  void aFileIsReadUpToItsLimit() throws Exception {
    Path file = model.directory().path().resolve("labels.txt");
    for (int byteSize : new int[] {(64 << 20) - 1, 64 << 20}) {
      resize(file, byteSize);
      assertThat(ModelDirectory.read(file)).hasSize(byteSize);
    }
    resize(file, (64 << 20) + 1);
    assertThatThrownBy(() -> ModelDirectory.read(file))
        .hasMessage(file + ": it has more than 67108864 bytes");
  }

  private static void resize(Path file, long byteSize) throws IOException {
    try (var content = new RandomAccessFile(file.toFile(), "rw")) {
      content.setLength(byteSize);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"..", ".", " ..", ".. ", "a/b", "../m", "/etc", "a\0b"})
  void rejectsNamesThatLeaveTheRepository(String name) {
    assertThatThrownBy(() -> ModelDirectory.checkedName(name))
        .hasMessage(
            "invalid model name '%s', model name must not contain path traversal characters"
                .formatted(name));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "  "})
  void rejectsBlankNames(String name) {
    assertThatThrownBy(() -> ModelDirectory.checkedName(name))
        .hasMessageContaining("Model name cannot be empty");
  }

  @ParameterizedTest
  @ValueSource(strings = {"m", "..m", "a b", "x.onnx"})
  void acceptsNamesOfOneElement(String name) {
    assertThat(ModelDirectory.checkedName(name)).isEqualTo(name);
  }

  private static List<String> warningsOf(Runnable action) {
    try (var log = new LogCapture(ModelDirectory.class.getName())) {
      action.run();
      return log.messages();
    }
  }
}
