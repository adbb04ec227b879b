/** Attacks on the HTTP listener. */
@NullMarked
package io.nereid.benchmarks.torture.attack.http;

import org.jspecify.annotations.NullMarked;
