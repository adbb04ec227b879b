/**
 * Loaded models: the registry in which requests look them up, the versions and their states, and
 * the parts of a loaded version. Knows neither repositories nor how models are loaded, and is
 * independent of wire forms and front ends. Any thread reads the registry, an immutable map in a
 * {@code volatile}; only {@code model.control} writes it. Read {@link
 * io.nereid.server.model.ModelRegistry} first, then {@link io.nereid.server.model.LoadedModel}.
 */
@NullMarked
package io.nereid.server.model;

import org.jspecify.annotations.NullMarked;
