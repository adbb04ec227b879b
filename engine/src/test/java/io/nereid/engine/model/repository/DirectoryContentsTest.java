package io.nereid.engine.model.repository;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Collections;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DirectoryContentsTest {
  private final MemoryRepository repository = new MemoryRepository();
  private DirectoryContents before = new DirectoryContents(Collections.emptySortedMap());

  @BeforeEach
  void create() {
    repository
        .write("m/config.pbtxt", "max_batch_size: 1", 100)
        .write("m/configs/gpu.pbtxt", "max_batch_size: 8", 100)
        .write("m/labels.txt", "cat", 100)
        .write("m/warmup/sample", "0000", 100)
        .write("m/1/model.onnx", "first", 100)
        .write("m/2/model.onnx", "second", 100);
    before = repository.contents("m");
  }

  @Test
  void anUnchangedDirectoryHasNoChanges() {
    DirectoryContents again = repository.contents("m");

    assertThat(again).isEqualTo(before);
    assertThat(again.changesSince(before).isEmpty()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "config.pbtxt,       [],  false",
    "configs/gpu.pbtxt,  [],  false",
    "configs/new.pbtxt,  [],  false",
    "1/model.onnx,      [1], false",
    "1/a/b/weights,     [1], false",
    "1/.hidden,         [1], false",
    "3/model.onnx,      [3], false",
    "0/model.onnx,      [0], false",
    "labels.txt,        [],  true",
    "warmup/sample,     [],  true",
    "initial_state/one, [],  true",
    "config.pbtxt.old,  [],  true",
    "config.pbtxt/a,    [],  true",
    "01/model.onnx,     [],  true",
    "1a/model.onnx,     [],  true",
    "3,                 [],  true",
    "99999999999999999999/model.onnx, [], true",
  })
  void aFileThatIsAddedOrChangedIsAChangeOfItsPart(String file, String versions, boolean others)
      throws IOException {
    if (file.startsWith("config.pbtxt/")) {
      repository.delete("m/config.pbtxt");
      before = repository.contents("m");
    }
    repository.write("m/" + file, "other contents", 200);

    DirectoryChanges changes = repository.contents("m").changesSince(before);

    assertThat(changes.paths()).containsExactly(file);
    assertThat(changes.versions()).hasToString(versions);
    assertThat(changes.others()).isEqualTo(others);
  }

  /** Triton compares the newest time of all files and directories, and notices none of these. */
  @ParameterizedTest
  @CsvSource({
    "first, 50", // cp -p of an older file
    "other, 99",
    "longer than before, 100",
  })
  void aFileThatIsReplacedByAnOlderOneIsAChange(String text, long second) {
    repository.write("m/1/model.onnx", text, second);

    assertThat(repository.contents("m").changesSince(before).versions()).containsExactly(1L);
  }

  @Test
  void aFileThatIsRemovedIsAChange() throws IOException {
    repository.delete("m/labels.txt");

    DirectoryChanges changes = repository.contents("m").changesSince(before);

    assertThat(changes.paths()).containsExactly("labels.txt");
    assertThat(changes.others()).isTrue();
  }

  @Test
  void aVersionThatIsRemovedIsAChange() throws IOException {
    repository.delete("m/2/model.onnx").delete("m/2");

    DirectoryChanges changes = repository.contents("m").changesSince(before);

    assertThat(changes.versions()).containsExactly(2L);
    assertThat(changes.others()).isFalse();
  }

  @Test
  void anEmptyVersionDirectoryIsAChange() throws IOException {
    Files.createDirectory(repository.path().resolve("m/3"));

    assertThat(repository.contents("m").changesSince(before).versions()).containsExactly(3L);
  }

  @Test
  void whatIsHiddenInTheModelsDirectoryDiffersButIsNoChange() {
    repository.write("m/.3/model.onnx", "half", 200).write("m/.config.pbtxt.swp", "", 200);

    DirectoryContents after = repository.contents("m");

    assertThat(after).isNotEqualTo(before);
    assertThat(after.changesSince(before).isEmpty()).isTrue();
  }

  @AfterEach
  void close() {
    repository.close();
  }
}
