/**
 * The rules for configurations, in Triton's order and with Triton's messages. Pure; knows no
 * directory of a model. Read {@link io.nereid.engine.model.config.validation.ModelConfigValidator}
 * first.
 *
 * <pre>{@code
 * rules               ConfigRules and what extends it; ConfigLimits; ModelFormat, the known formats
 * violations          ConfigProblems, ConfigProblem, ConfigSource
 * }</pre>
 */
@NullMarked
package io.nereid.engine.model.config.validation;

import org.jspecify.annotations.NullMarked;
