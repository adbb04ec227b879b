package io.nereid.engine.model.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.engine.model.repository.Repositories.Settings;
import io.nereid.engine.model.repository.cache.TestStore;
import io.nereid.error.InferenceException;
import io.nereid.spi.repository.ObjectStore;
import io.nereid.spi.repository.ObjectStoreProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RepositoriesTest {
  @TempDir private Path directory;

  private Settings settings() {
    return new Settings(directory.resolve("stores"), Optional.of(directory), Map.of());
  }

  private void open(String... locations) throws IOException {
    Repositories.open(List.of(locations), Optional.empty(), settings()).close();
  }

  @Test
  void aLocationWithoutSchemeIsADirectoryAndNeedsNoCache() throws IOException {
    Files.createDirectory(directory.resolve("m"));
    try (var repositories =
        Repositories.open(
            List.of(directory.toString(), "relative/path"), Optional.empty(), settings())) {

      assertThat(repositories.all())
          .hasOnlyElementsOfType(LocalRepository.class)
          .extracting(ModelRepository::location)
          .containsExactly(directory.toString(), "relative/path");
      assertThat(repositories.all().getFirst().models()).containsExactly("m");
    }
    assertThat(directory.resolve("nereid-repositories")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "s3://bucket | the folder '%s/stores/s3' is missing; it is an optional part of Nereid, see"
            + " \"Repositories in S3\" in docs/models.md",
        "S3://bucket | the folder '%s/stores/s3' is missing; it is an optional part of Nereid, see"
            + " \"Repositories in S3\" in docs/models.md",
        "gs://bucket/models | Nereid does not support Google Cloud Storage",
        "as://account/container | Nereid does not support Azure Storage",
        "hdfs://host/models | no folder in '%s/stores' is for hdfs:// locations",
      })
  void aLocationWithoutAStoreIsAnErrorThatSaysWhatIsMissing(String location, String problem) {
    assertThatThrownBy(() -> open(location))
        .isInstanceOf(InferenceException.class)
        .hasMessage(
            "model repository '%s' cannot be read: %s", location, problem.formatted(directory));
  }

  @Test
  void aFolderWhoseJarsCannotBeUsedIsNamed() throws IOException {
    Path folder = Files.createDirectories(directory.resolve("stores/s3"));
    Files.write(folder.resolve("other.jar"), new byte[0]);

    assertThatThrownBy(() -> open("s3://bucket"))
        .hasMessageStartingWith(
            "model repository 's3://bucket' cannot be read: the jars in '%s' cannot be used: ",
            folder)
        .hasMessageContaining("declares a " + ObjectStoreProvider.class.getName());
  }

  @Test
  void aCacheThatCannotBeWrittenIsNamedWithItsOption() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    var settings = new Settings(directory, Optional.of(file), Map.of("TEST_STORE", "models"));

    assertThatThrownBy(
            () -> Repositories.open(List.of("test://here"), Optional.empty(), settings).close())
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(
            "the cache of object stores cannot be in '%s/nereid-repositories': ", file)
        .hasMessageEndingWith("; --repository-cache-directory names another directory");
  }

  @Test
  void aStoreOnTheClassPathIsOpenedWithTheEnvironment() throws IOException {
    var settings =
        new Settings(
            directory, Optional.of(directory.resolve("cache")), Map.of("TEST_STORE", "models"));
    try (var repositories = Repositories.open(List.of("test://here"), Optional.empty(), settings)) {
      ModelRepository repository = repositories.all().getFirst();

      assertThat(repository.location()).isEqualTo("test://here");
      assertThat(repository.models()).containsExactly("models");
      assertThat(directory.resolve("cache/nereid-repositories")).isDirectory();
    }
  }

  /** Opens {@code test://} locations, with one model of the name in {@code TEST_STORE}. */
  public static final class Provider implements ObjectStoreProvider {
    @Override
    public Set<String> schemes() {
      return Set.of("test");
    }

    @Override
    public ObjectStore open(String location, Map<String, String> environment) {
      var store = new TestStore();
      store.put(environment.get("TEST_STORE") + "/1/model", new byte[1]);
      return store;
    }
  }
}
