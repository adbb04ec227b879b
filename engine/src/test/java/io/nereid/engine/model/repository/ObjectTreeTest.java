package io.nereid.engine.model.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.engine.model.repository.DirectoryContents.FileState;
import io.nereid.error.InferenceException;
import io.nereid.spi.repository.StoredObject;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ObjectTreeTest {
  private static List<StoredObject> objects(String... keys) {
    return Arrays.stream(keys)
        .map(key -> new StoredObject(key, key.endsWith("/") ? 0 : 7, "tag"))
        .toList();
  }

  private static DirectoryContents contents(String... keys) {
    return ObjectTree.contents("m", objects(keys));
  }

  @Test
  void modelsAreTheFirstNamesOfKeysWithoutHiddenOnesAndFiles() {
    assertThat(
            ObjectTree.byModel(
                    objects("b/1/model", "a/", "readme.txt", ".git/config", "/x", "b/config.pbtxt"))
                .keySet())
        .containsExactly("a", "b");
  }

  @Test
  void filesHaveTheSizesAndTagsOfTheirObjects() {
    assertThat(contents("m/config.pbtxt", "m/1/model.onnx").files())
        .isEqualTo(
            Map.of(
                "config.pbtxt", new FileState(7, "tag"), "1/model.onnx", new FileState(7, "tag")));
  }

  @Test
  void aMarkerIsAnEmptyDirectoryUnlessFilesAreInIt() {
    assertThat(contents("m/", "m/1/", "m/2/", "m/2/model", "m/3/x/", "m/3/").files())
        .isEqualTo(
            Map.of(
                "1/", new FileState(0, ""),
                "2/model", new FileState(7, "tag"),
                "3/x/", new FileState(0, "")));
  }

  @Test
  void namesThatBeginAlikeAreDifferentDirectories() {
    assertThat(contents("m/1", "m/10/model", "m/1-old/x", "m/10-old").files())
        .containsOnlyKeys("1", "10/model", "1-old/x", "10-old");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "m/../other/1/model",
        "m/1/..",
        "m/./model",
        "m//model",
        "m/1//",
        "m/1/../../../etc/passwd",
        "m/a\0b",
      })
  void aKeyThatIsNoPathInTheModelIsRejected(String key) {
    assertThatThrownBy(() -> contents("m/config.pbtxt", key))
        .isInstanceOf(InferenceException.class)
        .hasMessage("model 'm': the object key '%s' is not the path of a file", trimmed(key));
  }

  private static String trimmed(String key) {
    return key.endsWith("/") ? key.substring(0, key.length() - 1) : key;
  }

  @Test
  void aKeyOfAFileAndADirectoryIsRejected() {
    assertThatThrownBy(() -> contents("m/1", "m/1/model"))
        .isInstanceOf(InferenceException.class)
        .hasMessage("model 'm': the object key 'm/1' is a file and a directory");
  }

  @Test
  void objectsAndDirectoriesAreThoseOfTheContents() {
    DirectoryContents contents = contents("m/1/model", "m/2/");

    assertThat(ObjectTree.objects("m", contents))
        .isEqualTo(Map.of("1/model", new StoredObject("m/1/model", 7, "tag")));
    assertThat(ObjectTree.directories(contents)).containsExactly("2/");
  }
}
