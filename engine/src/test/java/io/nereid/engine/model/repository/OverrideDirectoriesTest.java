package io.nereid.engine.model.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.error.InferenceException;
import io.nereid.spi.UserCache;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OverrideDirectoriesTest {
  @TempDir private Path temporary = Path.of("");
  private Path servers = Path.of("");

  @BeforeEach
  void nameTheirDirectory() {
    servers = temporary.resolve("nereid-models-" + UserCache.user());
  }

  private static OverrideDirectory create(OverrideDirectories directories) {
    return directories.create("m", Map.of("1/a", ByteBuffer.wrap(new byte[] {7})));
  }

  private long files() throws IOException {
    try (Stream<Path> all = Files.walk(temporary)) {
      return all.filter(file -> file.endsWith("1/a")).count();
    }
  }

  @Test
  void nothingIsCreatedUntilAModelNeedsIt() throws IOException {
    try (var directories = new OverrideDirectories(temporary)) {
      directories.deleteLeft();
    }

    assertThat(temporary).isEmptyDirectory();
  }

  @Test
  void closingDeletesWhatModelsHaveLeft() throws IOException {
    var directories = new OverrideDirectories(temporary);
    create(directories).close();
    assertThat(create(directories).path().resolve("1/a")).hasBinaryContent(new byte[] {7});

    directories.close();

    assertThat(servers).isEmptyDirectory();
  }

  @Test
  void whatIsLeftByOneThatHasEndedIsDeletedAndNothingOfOneThatLives() throws IOException {
    try (var living = new OverrideDirectories(temporary);
        var next = new OverrideDirectories(temporary)) {
      var _ = create(living);
      Path left = Files.createDirectories(servers.resolve("left/nereid-model-1/m/1"));
      Files.createFile(left.resolve("a"));
      Files.createFile(servers.resolve("left.lock")); // which no process has locked
      assertThat(files()).isEqualTo(2);

      next.deleteLeft();

      assertThat(files()).isEqualTo(1);
      assertThat(servers.resolve("left")).doesNotExist();
      assertThat(servers.resolve("left.lock")).doesNotExist();
    }
    assertThat(servers).isEmptyDirectory();
  }

  @Test
  void oneThatWasEmptyForLongMayBeRemovedByOthers() throws IOException {
    try (var directories = new OverrideDirectories(temporary)) {
      Path own = create(directories).path().resolveSibling("").resolveSibling("");
      try (Stream<Path> all = Files.walk(own)) {
        for (Path each : all.sorted((a, b) -> b.compareTo(a)).toList()) {
          Files.delete(each);
        }
      }

      assertThat(create(directories).path().resolve("1/a")).exists();
    }
  }

  @Test
  void aDirectoryThatIsNotThisUsersAloneIsRefused() throws IOException {
    Files.createFile(servers);
    try (var directories = new OverrideDirectories(temporary)) {
      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(() -> create(directories))
          .withMessageStartingWith("model 'm': cannot write the files of the load request to '")
          .withMessageEndingWith("is not a directory");
      directories.deleteLeft(); // a line of the log
    }
  }
}
