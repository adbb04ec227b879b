/**
 * The {@code lint} and {@code config} commands: all that would fail when models load, and completed
 * configurations, without serving. The rules are those by which the server loads models; a model
 * that brings no code is also loaded, and closed. One thread. Read {@link
 * io.nereid.engine.model.lint.RepositoryLint} first.
 */
@NullMarked
package io.nereid.engine.model.lint;

import org.jspecify.annotations.NullMarked;
