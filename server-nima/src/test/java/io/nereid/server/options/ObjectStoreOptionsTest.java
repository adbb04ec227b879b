package io.nereid.server.options;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.repository.Repositories;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ObjectStoreOptionsTest {
  private static Repositories.Settings parse(String... options) {
    String[] all = new String[options.length + 1];
    all[0] = "--model-repository=/a";
    System.arraycopy(options, 0, all, 1, options.length);
    return ParsedOptions.of(all).objectStores().settings(Map.of("AWS_PROFILE", "p"));
  }

  @Test
  void jarsAreInTheDistributionAndTheEnvironmentSaysWhereTheCacheIs() {
    assertThat(parse())
        .isEqualTo(
            new Repositories.Settings(
                Path.of("./repositories"), Optional.empty(), Map.of("AWS_PROFILE", "p")));
  }

  @Test
  void bothDirectoriesCanBeOthers() {
    assertThat(parse("--object-store-directory=/jars", "--repository-cache-directory", "/cache"))
        .isEqualTo(
            new Repositories.Settings(
                Path.of("/jars"), Optional.of(Path.of("/cache")), Map.of("AWS_PROFILE", "p")));
  }
}
