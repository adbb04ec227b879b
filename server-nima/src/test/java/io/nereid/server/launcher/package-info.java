/**
 * Tests of the shell scripts that start Nereid, on folders created for them. No production package
 * has this name. Read {@link io.nereid.server.launcher.JdkSearchTest} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.server.launcher;
