/**
 * The shell scripts that start Nereid, run as they are on folders made up for them. There is no
 * Java of this name beside the tests. Read {@link io.nereid.server.launcher.JdkSearchTest} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.server.launcher;
