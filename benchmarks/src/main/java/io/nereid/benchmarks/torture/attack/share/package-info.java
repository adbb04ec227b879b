/** A client that takes what it must share with others: calls, sequences, threads. */
@NullMarked
package io.nereid.benchmarks.torture.attack.share;

import org.jspecify.annotations.NullMarked;
