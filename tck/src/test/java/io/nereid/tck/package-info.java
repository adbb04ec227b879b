/**
 * Tests of the TCK: every rule has its test, its own backends pass, and broken backends and servers
 * are detected. Read {@link io.nereid.tck.RuleCatalogTest} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck;
