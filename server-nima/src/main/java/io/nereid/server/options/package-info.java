/**
 * The options of {@code serve}, with Triton's names, defaults and spellings: a class for each
 * heading of the help, which are more than twenty, that returns the settings of its component.
 * Knows components by their settings only. The main thread reads the options once. Read {@link
 * io.nereid.server.options.ServerOptions} first, then {@code OptionGroup}.
 */
@NullMarked
package io.nereid.server.options;

import org.jspecify.annotations.NullMarked;
