package io.nereid.engine.model.repository.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CacheLocationTest {
  @TempDir private Path home;

  @Test
  void theOptionIsBeforeTritonsVariableAndThatBeforeTheUsersCache() {
    var environment =
        new HashMap<>(
            Map.of(
                "TRITON_AWS_MOUNT_DIRECTORY", "/mount",
                "XDG_CACHE_HOME", "/xdg",
                "HOME", home.toString()));

    assertThat(CacheLocation.of(Optional.of(Path.of("/option")), environment))
        .isEqualTo(Path.of("/option/nereid-repositories"));
    assertThat(CacheLocation.of(Optional.empty(), environment))
        .isEqualTo(Path.of("/mount/nereid-repositories"));
    environment.remove("TRITON_AWS_MOUNT_DIRECTORY");
    assertThat(CacheLocation.of(Optional.empty(), environment))
        .isEqualTo(Path.of("/xdg/nereid-repositories"));
    environment.remove("XDG_CACHE_HOME");
    assertThat(CacheLocation.of(Optional.empty(), environment))
        .isEqualTo(home.resolve(".cache/nereid-repositories"));
  }

  @Test
  void withoutAHomeItIsADirectoryOfTheUserAmongTemporaryFiles() {
    for (String unusable : new String[] {home + "/missing", home + "/\0"}) {
      assertThat(CacheLocation.of(Optional.empty(), Map.of("HOME", unusable)))
          .isEqualTo(
              Path.of(System.getProperty("java.io.tmpdir"))
                  .resolve("nereid-repositories-" + System.getProperty("user.name")));
    }
  }
}
