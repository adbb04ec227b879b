package io.nereid.engine.model.config;

import io.nereid.engine.model.config.validation.ConfigSource;
import io.nereid.protocol.config.ModelConfig;

/**
 * A configuration as {@link ModelConfigReader} found it.
 *
 * @param message with the server's defaults
 * @param source for the positions in errors
 */
public record PolledConfig(ModelConfig message, ConfigSource source) {}
