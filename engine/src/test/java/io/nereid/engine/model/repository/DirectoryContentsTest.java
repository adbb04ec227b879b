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
    "config.pbtxt,      true,  [],  false",
    "configs/gpu.pbtxt, true,  [],  false",
    "configs/new.pbtxt, true,  [],  false",
    "1/model.onnx,      false, [1], false",
    "1/a/b/weights,     false, [1], false",
    "1/.hidden,         false, [1], false",
    "3/model.onnx,      false, [3], false",
    "0/model.onnx,      false, [0], false",
    "labels.txt,        false, [],  true",
    "warmup/sample,     false, [],  true",
    "initial_state/one, false, [],  true",
    "config.pbtxt.old,  false, [],  true",
    "config.pbtxt/a,    false, [],  true",
    "01/model.onnx,     false, [],  true",
    "1a/model.onnx,     false, [],  true",
    "3,                 false, [],  true",
    "99999999999999999999/model.onnx, false, [], true",
  })
  void aFileThatIsAddedOrChangedIsAChangeOfItsPart(
      String file, boolean config, String versions, boolean others) throws IOException {
    if (file.startsWith("config.pbtxt/")) {
      repository.delete("m/config.pbtxt");
      before = repository.contents("m");
    }
    repository.write("m/" + file, "other contents", 200);

    DirectoryChanges changes = repository.contents("m").changesSince(before);

    assertThat(changes.paths()).containsExactly(file);
    assertThat(changes.config()).isEqualTo(config);
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
