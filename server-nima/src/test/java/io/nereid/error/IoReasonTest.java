package io.nereid.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class IoReasonTest {
  static Stream<Arguments> failures() {
    return Stream.of(
        Arguments.of(new AccessDeniedException("/a"), "permission denied"),
        Arguments.of(new NoSuchFileException("/a"), "no such file or directory"),
        Arguments.of(new NotDirectoryException("/a"), "not a directory"),
        Arguments.of(new DirectoryNotEmptyException("/a"), "the directory is not empty"),
        Arguments.of(new FileAlreadyExistsException("/a"), "it exists already"),
        Arguments.of(new FileSystemLoopException("/a"), "the directory contains itself"),
        Arguments.of(new FileSystemException("/a", null, "Is a directory"), "is a directory"),
        Arguments.of(new FileSystemException("/a", null, "EOF met"), "EOF met"),
        Arguments.of(new FileSystemException("/a"), "FileSystemException"),
        Arguments.of(new FileNotFoundException("/a (Permission denied)"), "permission denied"),
        Arguments.of(
            new FileNotFoundException("/a (b) (No such file or directory)"),
            "no such file or directory"),
        Arguments.of(new FileNotFoundException(), "FileNotFoundException"),
        Arguments.of(new MalformedInputException(1), "it is not in the encoding expected"),
        Arguments.of(new EOFException(), "it ends early"),
        Arguments.of(new IOException("No space left on device"), "No space left on device"),
        Arguments.of(new IOException((String) null), "IOException"));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void isInWordsWithoutThePath(IOException failure, String reason) {
    assertThat(IoReason.of(failure)).isEqualTo(reason);
  }

  @Test
  void comesBehindThePathWhereThatIsNotNamedOtherwise() {
    assertThat(IoReason.withPath(new AccessDeniedException("/a")))
        .isEqualTo("'/a': permission denied");
    assertThat(IoReason.withPath(new IOException("cut"))).isEqualTo("cut");
    assertThat(IoReason.withPath(new EOFException())).isEqualTo("it ends early");
  }

  @Test
  void isThatOfTheOperatingSystem() {
    try (var stream = new FileOutputStream("/")) {
      stream.write(1);
    } catch (IOException failure) {
      assertThat(IoReason.of(failure)).isEqualTo("is a directory");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "é, ANSI_X3.4-1968, 'the locale''s encoding is ANSI_X3.4-1968, not UTF-8; start with"
        + " LC_ALL=C.UTF-8'",
    "é, UTF-8, malformed input",
    "a, ANSI_X3.4-1968, malformed input"
  })
  void namesTheLocaleIfThatKeepsANameFromBeingAPath(String name, String encoding, String reason) {
    var invalid = new InvalidPathException(name, "Malformed input");

    assertThat(IoReason.of(invalid, encoding)).isEqualTo(reason);
  }
}
