/**
 * Model configurations: {@code config.pbtxt} or JSON in, a normalised, completed and checked {@link
 * io.nereid.server.model.config.ModelConfiguration} out. Pure but for reading the model's
 * directory, and without state; called by the thread that loads the model. A configuration passes
 * {@link io.nereid.server.model.config.ModelConfigReader}, then {@link
 * io.nereid.server.model.config.ModelConfigCompletion}: read them in that order.
 */
@NullMarked
package io.nereid.server.model.config;

import org.jspecify.annotations.NullMarked;
