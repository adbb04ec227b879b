/** Tests of the backend for trees. Read {@link io.nereid.trees.OracleTest} first. */
@org.jspecify.annotations.NullMarked
package io.nereid.trees;
