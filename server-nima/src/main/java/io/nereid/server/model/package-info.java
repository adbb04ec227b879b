/**
 * Loaded models: the manager that loads and closes them, the registry in which requests look them
 * up, and the parts of a loaded version. Independent of wire forms and front ends. Models load on
 * platform threads; the registry is an immutable map in a {@code volatile}, written by the manager
 * only. Read {@link io.nereid.server.model.ModelManager} first, then {@link
 * io.nereid.server.model.LoadedModel}.
 */
@NullMarked
package io.nereid.server.model;

import org.jspecify.annotations.NullMarked;
