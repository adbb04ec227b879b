/**
 * Model configurations: {@code config.pbtxt} or JSON in, a normalised, completed and validated
 * {@link io.nereid.engine.model.config.ModelConfiguration} out. Stateless, and pure except for
 * reading the model's directory; called by the thread that loads the model. Read {@link
 * io.nereid.engine.model.config.ModelConfigReader} first, then {@link
 * io.nereid.engine.model.config.ModelConfigCompletion}.
 *
 * <pre>{@code
 * a configuration     ModelConfigReader, PolledConfig, ModelConfigCompletion, ModelConfiguration
 * settings            ConfigSettings
 * for backends' tests ModelConfigFileParser
 * files               ModelDirectory, BareModel
 * defaults            ModelConfigNormalizer, InstanceGroups
 * }</pre>
 */
@NullMarked
package io.nereid.engine.model.config;

import org.jspecify.annotations.NullMarked;
