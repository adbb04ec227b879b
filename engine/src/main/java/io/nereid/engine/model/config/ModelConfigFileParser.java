package io.nereid.engine.model.config;

import io.nereid.config.ModelConfig;
import io.nereid.config.ModelConfigParser;
import io.nereid.engine.model.config.conversion.ModelConfigRecords;
import java.nio.file.Path;

/** The reader of configurations for programs that test a backend without a server. */
public final class ModelConfigFileParser implements ModelConfigParser {
  private final ModelConfigReader reader = new ModelConfigReader(ConfigSettings.DEFAULT);

  @Override
  public ModelConfig parse(Path modelDirectory) {
    var directory = new ModelDirectory(modelDirectory.toAbsolutePath());
    return ModelConfigRecords.record(reader.read(directory).message());
  }
}
