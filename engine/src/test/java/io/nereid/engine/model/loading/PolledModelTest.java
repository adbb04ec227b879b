package io.nereid.engine.model.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.ModelId;
import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.engine.model.config.PolledConfig;
import io.nereid.engine.model.config.validation.ConfigSource;
import io.nereid.engine.model.loading.PolledModel.Origin;
import io.nereid.engine.model.repository.OverrideDirectory;
import io.nereid.protocol.config.ModelConfig;
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
