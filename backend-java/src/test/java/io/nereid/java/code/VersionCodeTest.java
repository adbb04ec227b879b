package io.nereid.java.code;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VersionCodeTest {
  /** Which a failed load tells in a sentence, as whatever cannot be read. */
  @Test
  void aFolderThatContainsItselfCannotBeRead(@TempDir Path folder) throws IOException {
    Files.createSymbolicLink(folder.resolve("again"), folder);

    assertThatExceptionOfType(FileSystemLoopException.class)
        .isThrownBy(() -> VersionCode.of(folder));
  }
}
