package io.nereid.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class UserCacheTest {
  @TempDir private Path folder = Path.of("");

  private static final Path TEMPORARY =
      Path.of(System.getProperty("java.io.tmpdir"), "nereid-" + UserCache.user());

  @Test
  void theVariableOfCachesIsBeforeTheHomeDirectory() throws Exception {
    String home = folder.toString();

    assertThat(UserCache.directory(Map.of("XDG_CACHE_HOME", "/xdg", "HOME", home)))
        .isEqualTo(Path.of("/xdg/nereid"));
    for (String unusable : new String[] {"", "relative"}) {
      assertThat(UserCache.directory(Map.of("XDG_CACHE_HOME", unusable, "HOME", home)))
          .isEqualTo(folder.resolve(".cache/nereid"));
    }
  }

  @Test
  void theHomeDirectoryOfTheEnvironmentCountsAndNotThatOfTheJvm() throws Exception {
    assertThat(UserCache.directory(Map.of("HOME", folder.toString())))
        .isEqualTo(folder.resolve(".cache/nereid"));
  }

  @Test
  void aHomeDirectoryThatIsMissingOrNoDirectoryIsLeftForATemporaryOne() throws Exception {
    Path file = Files.createFile(folder.resolve("file"));

    for (String home : new String[] {folder + "/missing", file.toString(), "?", "/\0"}) {
      assertThat(UserCache.directory(Map.of("HOME", home))).isEqualTo(TEMPORARY);
    }
  }

  @Test
  void aHomeDirectoryWhoseCacheCannotBeWrittenIsLeftForATemporaryOne() throws Exception {
    Files.createFile(folder.resolve(".cache")); // also for root no directory
    assertThat(UserCache.directory(Map.of("HOME", folder.toString()))).isEqualTo(TEMPORARY);
  }

  @Test
  void aTemporaryDirectoryIsThisUsersAlone() throws Exception {
    Path made = UserCache.temporary(folder);
    assertThat(made).isEqualTo(folder.resolve("nereid-" + UserCache.user()));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
        .isEqualTo("rwx------");
    assertThat(UserCache.temporary(folder)).isEqualTo(made);

    Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxrwx---"));
    assertThatThrownBy(() -> UserCache.temporary(folder))
        .isInstanceOf(IOException.class)
        .hasMessage("'%s' can be accessed by other users: its permissions must be rwx------", made);
  }

  @Test
  void aTemporaryDirectoryOfAnotherUserOrALinkIsRefused() throws Exception {
    Path made = UserCache.temporary(folder);
    Files.delete(made);
    Files.createSymbolicLink(made, Files.createDirectory(folder.resolve("elsewhere")));
    assertThatThrownBy(() -> UserCache.temporary(folder))
        .hasMessage("'%s' is not a directory", made);

    Files.delete(made);
    UserCache.temporary(folder);
    try {
      Files.setAttribute(made, "unix:uid", 12345);
    } catch (IOException notRoot) {
      abort("only root can give a directory to another user");
    }
    assertThatThrownBy(() -> UserCache.temporary(folder))
        .hasMessage("'%s' is another user's", made);
  }
}
