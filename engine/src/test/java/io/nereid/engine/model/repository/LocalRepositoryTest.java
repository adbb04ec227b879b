package io.nereid.engine.model.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.nereid.error.InferenceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalRepositoryTest {
  private final MemoryRepository memory = new MemoryRepository();
  private final Path path = memory.path();
  private final LocalRepository repository = memory.repository();

  @Test
  void modelsAreDirectoriesInOrderWithoutFilesAndHiddenOnes() throws IOException {
    for (String name :
        new String[] {"b", "a", "a.onnx", "1", "with space", ".git", "...", "lost+found"}) {
      Files.createDirectory(path.resolve(name));
    }
    memory.write("README.md", "no model", 1);

    assertThat(repository.models()).containsExactly("1", "a", "a.onnx", "b", "with space");
    assertThat(repository.contents(".git")).isEmpty();
    assertThat(repository.contents("README.md")).isEmpty();
  }

  @Test
  void aBareRepositoryIsOneModelWhoseFilesAreItsOwn() throws IOException {
    memory.write("model.onnx", "graph", 1);
    Files.createDirectories(path.resolve("data"));
    memory.write("data/weights", "w", 1);
    var bare = new LocalRepository(path, Optional.of("digits"));

    assertThat(bare.isBare()).isTrue();
    assertThat(bare.models()).containsExactly("digits");
    assertThat(bare.contents("digits").orElseThrow().files())
        .containsOnlyKeys("model.onnx", "data/weights");
    assertThat(bare.contents("data")).isEmpty();
    assertThat(bare.directory("digits", bare.contents("digits").orElseThrow())).isEqualTo(path);
    assertThat(repository.isBare()).isFalse();
  }

  @Test
  void aModelMayBeALink() throws IOException {
    Path elsewhere = Files.createDirectories(path.resolveSibling("elsewhere/1"));
    Files.writeString(elsewhere.resolve("model.onnx"), "graph");
    Files.createSymbolicLink(path.resolve("m"), elsewhere.getParent());
    Files.createSymbolicLink(path.resolve("broken"), path.resolve("no-such-directory"));

    assertThat(repository.models()).containsExactly("m");
    assertThat(memory.contents("m").files()).containsOnlyKeys("1/model.onnx");
    assertThat(repository.directory("m", memory.contents("m"))).isEqualTo(path.resolve("m"));
  }

  @Test
  void contentsHaveSizesAndTimesOfAllFilesAndTheNamesOfEmptyDirectories() throws IOException {
    memory
        .write("m/config.pbtxt", "", 5)
        .write("m/1/model.savedmodel/variables/data", "12345678", 7);
    Files.createDirectories(path.resolve("m/2"));

    var files = memory.contents("m").files();

    assertThat(files.keySet())
        .containsExactly("1/model.savedmodel/variables/data", "2/", "config.pbtxt");
    assertThat(files.get("1/model.savedmodel/variables/data"))
        .isEqualTo(new DirectoryContents.FileState(8, "1970-01-01T00:00:07Z"));
  }

  @Test
  void timesAreAsExactAsTheFileSystemHasThem(@TempDir Path disk) throws IOException {
    Path file = Files.createDirectory(disk.resolve("m")).resolve("model.onnx");
    Files.writeString(file, "graph");
    var now = Instant.parse("2026-01-01T00:00:00.123456789Z");
    Files.setLastModifiedTime(file, FileTime.from(now));

    var files = new LocalRepository(disk).contents("m").orElseThrow().files();

    assertThat(files.get("model.onnx"))
        .isEqualTo(new DirectoryContents.FileState(5, Files.getLastModifiedTime(file).toString()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "../models/m", "m/1", "/models/m", "a\0b", "missing"})
  void whatIsNoDirectoryOfTheRepositoryHasNoContents(String name) {
    memory.write("m/1/model.onnx", "graph", 1);

    assertThat(repository.contents(name)).isEmpty();
  }

  @Test
  void linksThatLeadBackAreNotFollowed(@TempDir Path disk) throws IOException {
    Path version = Files.createDirectories(disk.resolve("m/1"));
    Files.writeString(version.resolve("model.onnx"), "graph");
    Files.createSymbolicLink(version.resolve("self"), version);
    Files.createSymbolicLink(disk.resolve("m/up"), disk.resolve("m"));
    Files.createSymbolicLink(version.resolve("ring"), version.resolve("ring"));
    Files.createSymbolicLink(version.resolve("broken"), Path.of("no-such-file"));

    var contents = new LocalRepository(disk).contents("m").orElseThrow();

    assertThat(contents.files()).containsOnlyKeys("1/broken", "1/model.onnx", "1/ring");
  }

  @Test
  void directoriesThatAreNestedTooDeepAreAnErrorThatNamesThePath() throws IOException {
    String deep = "m" + "/d".repeat(32);
    Files.createDirectories(path.resolve(deep));

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> repository.contents("m"))
        .withMessageContaining("cannot read the directory of model 'm' in '/models'")
        .withMessageContaining("/models/" + deep)
        .withMessageContaining("too many levels of directories");
  }

  @Test
  void pipesAndDevicesAreAnErrorThatNamesThem(@TempDir Path disk) throws Exception {
    Path model = Files.createDirectories(disk.resolve("m/1"));
    var local = new LocalRepository(disk);
    for (Path file : List.of(SpecialFiles.pipe(model), SpecialFiles.device(model))) {
      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(() -> local.contents("m"))
          .withMessageContaining("'%s': it is neither a regular file nor a directory", file);
      Files.delete(file);
    }
    SpecialFiles.pipe(disk.resolve("m"), ".hidden");
    assertThat(local.contents("m")).isPresent();
  }

  @Test
  void linksThatMultiplyDirectoriesAreAnError() throws IOException {
    for (int level = 0; level < 20; level++) {
      Path directory = Files.createDirectories(path.resolve("m/level" + level));
      Path next = path.resolve("m/level" + (level + 1));
      Files.createSymbolicLink(directory.resolve("a"), next);
      Files.createSymbolicLink(directory.resolve("b"), next);
    }
    Files.createDirectories(path.resolve("m/level20"));

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> new LocalRepository(path, Optional.empty(), 1_000).contents("m"))
        .withMessageContaining("the model has more than 1000 files");
  }

  @Test
  void aRepositoryThatCannotBeReadIsAnErrorThatNamesIt() {
    var missing = new LocalRepository(path.resolve("missing"));
    memory.write("file", "", 1);
    var file = new LocalRepository(path.resolve("file"));

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(missing::models)
        .withMessageContaining("cannot read model repository '/models/missing'");
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(file::models)
        .withMessageContaining("cannot read model repository '/models/file'");
  }

  /** Not the same as a model that is not there, which poll mode unloads. */
  @Test
  void aModelThatCannotBeReadIsAnErrorThatNamesIt() throws IOException {
    Files.createSymbolicLink(path.resolve("ring"), path.resolve("ring"));

    assertThat(repository.models()).containsExactly("ring");
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> repository.contents("ring"))
        .withMessageContaining("cannot read the directory of model 'ring' in '/models'");
  }

  @Test
  void aDirectoryWithoutPermissionIsAnErrorThatNamesIt(@TempDir Path disk) throws IOException {
    Path version = Files.createDirectories(disk.resolve("m/1"));
    var none = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("---------"));
    Path closed = Files.createDirectory(version.resolve("closed"), none);
    assumeFalse(Files.isReadable(closed), "root may read everything");

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> new LocalRepository(disk).contents("m"))
        .withMessageContaining(closed.toString());
  }

  @Test
  void theContentsOfARepositoryTellModelsFromThoseThatCannotBeRead() throws IOException {
    memory.write("m/1/model.onnx", "graph", 1);
    Files.createDirectories(path.resolve("deep" + "/d".repeat(32)));

    RepositoryContents contents = repository.contents();

    assertThat(contents.models()).containsOnlyKeys("m").containsValue(memory.contents("m"));
    assertThat(contents.unreadable()).containsOnlyKeys("deep");
  }

  @AfterEach
  void close() {
    memory.close();
  }
}
