/**
 * The options of {@code serve}, with Triton's names, defaults and spellings: a class for each
 * heading of the help that returns the settings of its component; those of front ends are in {@code
 * frontend}. Knows components by their settings only. The main thread reads the options once. Read
 * {@link io.nereid.server.options.ServerOptions} first.
 */
@NullMarked
package io.nereid.server.options;

import org.jspecify.annotations.NullMarked;
