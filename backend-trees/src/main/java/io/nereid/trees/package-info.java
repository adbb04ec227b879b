/**
 * The backend {@code trees} for gradient-boosted trees and forests. It turns configurations into
 * the rows, margins and predictions of {@link io.nereid.trees.forest}; {@link
 * io.nereid.trees.format} reads the files. It depends on {@code api-spi} and on no native code.
 *
 * <p>The threads that load models use the backend and its models; each instance belongs to one
 * thread at a time. Read {@link io.nereid.trees.TreesInstance} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.trees;
