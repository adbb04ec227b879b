/** Servers under attack: how they are started, where they are, and how much memory they have. */
@NullMarked
package io.nereid.benchmarks.torture.server;

import org.jspecify.annotations.NullMarked;
