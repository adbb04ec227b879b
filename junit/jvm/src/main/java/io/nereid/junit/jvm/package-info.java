/**
 * The server of {@link io.nereid.junit.NereidTest} in the JVM of the tests, which is known by its
 * builder only.
 */
@NullMarked
package io.nereid.junit.jvm;

import org.jspecify.annotations.NullMarked;
