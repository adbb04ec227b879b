/**
 * Servers for tests of JUnit Jupiter 5.12 and later, from JDK 17 on: processes, or by a {@link
 * io.nereid.junit.ServerStarter} in the JVM of the tests. Knows the server by its command line
 * only. {@link io.nereid.junit.NereidTest} is read first.
 */
@NullMarked
package io.nereid.junit;

import org.jspecify.annotations.NullMarked;
