/**
 * The composition root: command line, start, drain, stop. Knows every other package; none knows it.
 * Read {@link io.nereid.server.InferenceServer} first.
 */
@NullMarked
package io.nereid.server;

import org.jspecify.annotations.NullMarked;
