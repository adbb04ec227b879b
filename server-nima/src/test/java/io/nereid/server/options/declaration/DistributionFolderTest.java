package io.nereid.server.options.declaration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DistributionFolderTest {
  @Test
  void partsLieBesideTheFolderOfTheServersJar(@TempDir Path home) throws IOException {
    Path lib = Files.createDirectories(home.resolve("lib"));

    assertThat(DistributionFolder.of(lib.resolve("server.jar"))).isEqualTo(home);
    assertThat(DistributionFolder.of(home.resolve("server.jar"))).isEqualTo(Path.of("."));
    assertThat(DistributionFolder.of(lib)).isEqualTo(Path.of("."));
    assertThat(DistributionFolder.of(Files.createDirectories(lib.resolve("classes"))))
        .isEqualTo(Path.of("."));
  }
}
