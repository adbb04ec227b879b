/**
 * Loaded models: the registry in which requests look them up, the versions and their states, and
 * the parts of a loaded version. Knows neither repositories nor how models are loaded, and is
 * independent of wire forms and front ends. Any thread reads the registry, an immutable map in a
 * {@code volatile}; only {@code model.control} writes it. Read {@link
 * io.nereid.engine.model.ModelRegistry} first, then {@link io.nereid.engine.model.LoadedModel}.
 */
@NullMarked
package io.nereid.engine.model;

import org.jspecify.annotations.NullMarked;
