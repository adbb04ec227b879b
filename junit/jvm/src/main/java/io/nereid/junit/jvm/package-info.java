/**
 * What runs in the JVM of the tests: the server of {@link io.nereid.junit.NereidTest}, which is
 * known by its builder only, and {@link io.nereid.junit.jvm.ModelTester}, an engine for one Java
 * model, which needs no JUnit. The test's thread calls both; a model is called by the engine's.
 */
@NullMarked
package io.nereid.junit.jvm;

import org.jspecify.annotations.NullMarked;
