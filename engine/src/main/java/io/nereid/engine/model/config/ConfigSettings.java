package io.nereid.engine.model.config;

import io.nereid.engine.model.config.validation.ConfigLimits;
import java.util.Optional;

/**
 * How configurations are read.
 *
 * @param autoComplete whether backends complete them; if not, the file must exist and specify all
 *     inputs and outputs
 * @param preferred {@code --model-config-name}: the preferred file of a model's {@code configs}
 */
public record ConfigSettings(
    boolean autoComplete, Optional<String> preferred, ConfigLimits limits) {
  public static final ConfigSettings DEFAULT =
      new ConfigSettings(true, Optional.empty(), ConfigLimits.DEFAULT);
}
