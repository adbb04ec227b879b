package io.nereid.server.telemetry.logging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReopenedFileTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  @TempDir Path folder;

  private long nanos;

  private ReopenedFile open() throws IOException {
    return ReopenedFile.open(folder.resolve("log"), () -> nanos);
  }

  private String text(String name) throws IOException {
    return Files.readString(folder.resolve(name));
  }

  private static void write(ReopenedFile file, String text) throws IOException {
    file.write(text.getBytes(UTF_8));
  }

  @Test
  void appendsToWhatIsThere() throws IOException {
    Files.writeString(folder.resolve("log"), "earlier\n");
    try (ReopenedFile file = open()) {
      write(file, "now\n");
      file.write('!');
    }

    assertThat(text("log")).isEqualTo("earlier\nnow\n!");
  }

  @Test
  void goesOnInANewFileOnceTheOldOneWasRenamed() throws IOException {
    try (ReopenedFile file = open()) {
      write(file, "1\n");
      Files.move(folder.resolve("log"), folder.resolve("log.1"));
      nanos += SECOND - 1;
      write(file, "2\n");
      nanos++;
      write(file, "3\n");

      assertThat(text("log.1")).isEqualTo("1\n2\n");
      assertThat(text("log")).isEqualTo("3\n");
    }
  }

  @Test
  void isItsOwnersAloneAlsoWhenItIsOpenedAgainUnlessItWasThere() throws IOException {
    Path log = folder.resolve("log");
    try (ReopenedFile file = open()) {
      write(file, "1\n");
      assertThat(mode(log)).isEqualTo("rw-------");
      Files.delete(log);
      nanos += SECOND;
      write(file, "2\n");
      assertThat(mode(log)).isEqualTo("rw-------");
    }
    Files.setPosixFilePermissions(log, PosixFilePermissions.fromString("rw-r-----"));
    try (ReopenedFile file = open()) {
      write(file, "3\n");
    }
    assertThat(mode(log)).isEqualTo("rw-r-----");
    assertThat(text("log")).isEqualTo("2\n3\n");
  }

  private static String mode(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  void goesOnInTheFileThatHasTakenItsPlace() throws IOException {
    try (ReopenedFile file = open()) {
      write(file, "1\n");
      Files.move(folder.resolve("log"), folder.resolve("log.1"));
      Files.writeString(folder.resolve("log"), "new\n");
      nanos += SECOND;
      write(file, "2\n");

      assertThat(text("log")).isEqualTo("new\n2\n");
      nanos += SECOND;
      write(file, "3\n");
      assertThat(text("log")).isEqualTo("new\n2\n3\n");
    }
  }

  @Test
  void writesOnToTheOldFileWhileThereCanBeNoNewOne() throws IOException {
    Path logs = Files.createDirectory(folder.resolve("logs"));
    try (ReopenedFile file = ReopenedFile.open(logs.resolve("log"), () -> nanos)) {
      write(file, "1\n");
      Files.move(logs, folder.resolve("moved"));
      nanos += SECOND;
      write(file, "2\n");
      assertThat(text("moved/log")).isEqualTo("1\n2\n");

      Files.createDirectory(logs);
      nanos += SECOND;
      write(file, "3\n");
      assertThat(text("logs/log")).isEqualTo("3\n");
    }
  }
}
