/**
 * The code of one version: read from its folder, compiled, searched for the model's class, and
 * loaded by a loader of its own. Knows no configuration and no request. The thread that loads a
 * version runs it. Read {@link io.nereid.java.code.VersionCode} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.java.code;
