/**
 * Living models: the manager that loads and unloads them, the registry that requests look them up
 * in, and what a loaded version consists of. Knows no wire form and no front end. Models load on
 * platform threads; the registry is an immutable map in a {@code volatile}, written by the manager
 * alone. Read {@link io.nereid.server.model.ModelManager} first, then {@link
 * io.nereid.server.model.LoadedModel}.
 */
@NullMarked
package io.nereid.server.model;

import org.jspecify.annotations.NullMarked;
