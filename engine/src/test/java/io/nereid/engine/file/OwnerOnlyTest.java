package io.nereid.engine.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OwnerOnlyTest {
  private final FileSystem files =
      Jimfs.newFileSystem(
          Configuration.unix().toBuilder()
              .setAttributeViews("basic", "owner", "posix", "unix")
              .build());
  private final Path directory = files.getPath("/cache");

  @AfterEach
  void closeFiles() throws IOException {
    files.close();
  }

  private void create(String permissions) throws IOException {
    Files.createDirectory(
        directory,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)));
  }

  @Test
  void aDirectoryOfAnotherUserIsRejected() throws IOException {
    create("rwx------");
    OwnerOnly.requireDirectory(directory);
    Files.setOwner(
        directory, files.getUserPrincipalLookupService().lookupPrincipalByName("mallory"));

    assertThatIOException()
        .isThrownBy(() -> OwnerOnly.requireDirectory(directory))
        .withMessage("'/cache' is another user's");
    try (var left = Files.list(directory)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void aDirectoryThatOthersCanReadIsRejected() throws IOException {
    create("rwxr-xr-x");

    assertThatIOException()
        .isThrownBy(() -> OwnerOnly.requireDirectory(directory))
        .withMessageContaining("must be rwx------");
  }
}
