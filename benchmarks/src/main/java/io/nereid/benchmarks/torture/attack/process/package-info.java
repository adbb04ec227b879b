/** Attacks on the server's process: its ports, its files, its model repository. */
@NullMarked
package io.nereid.benchmarks.torture.attack.process;

import org.jspecify.annotations.NullMarked;
