package io.nereid.server.model.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.model.ModelId;
import io.nereid.server.model.config.ConfigSource;
import io.nereid.server.model.config.ModelDirectory;
import io.nereid.server.model.config.PolledConfig;
import io.nereid.server.model.loading.PolledModel.Origin;
import io.nereid.server.model.repository.OverrideDirectory;
import io.nereid.server.protobuf.ModelConfig;
import io.nereid.spi.ModelFiles.Trust;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PolledModelTest {
  @TempDir private Path folder = Path.of("");

  private static Trust trust(Origin origin) {
    var config = new PolledConfig(ModelConfig.getDefaultInstance(), ConfigSource.NO_FILE);
    var directory = new ModelDirectory(Path.of("models", "m"));
    return new PolledModel(new ModelId("", "m"), directory, Optional.empty(), config, origin)
        .files(1)
        .trust();
  }

  @Test
  void onlyWhatIsWhollyOfARepositoryIsTheOperators() {
    assertThat(trust(new Origin.Repository())).isEqualTo(Trust.OPERATOR);
    assertThat(trust(new Origin.ConfigOverride())).isEqualTo(Trust.CLIENT);
    try (var files = OverrideDirectory.create(folder, "m", Map.of())) {
      assertThat(trust(new Origin.FileOverride(files))).isEqualTo(Trust.CLIENT);
    }
  }
}
