/**
 * Servers for tests of JUnit Jupiter, in the JVM of the tests or in a process. Knows the server by
 * its builder and its command line only. {@link io.nereid.junit.NereidTest} is read first.
 */
@NullMarked
package io.nereid.junit;

import org.jspecify.annotations.NullMarked;
