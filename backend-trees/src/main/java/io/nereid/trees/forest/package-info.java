/**
 * Trees in memory, and how rows go through them. Knows neither files nor configurations. {@link
 * io.nereid.trees.forest.ForestBuilder} checks what it is given; what it has built is immutable and
 * any thread may read it. Read {@link io.nereid.trees.forest.Forest} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.trees.forest;
