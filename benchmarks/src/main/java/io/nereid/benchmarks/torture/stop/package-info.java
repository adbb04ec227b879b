/**
 * SIGTERM at random moments under load, with requests open that are half sent. {@link
 * io.nereid.benchmarks.torture.stop.StopRounds} is the command, {@link
 * io.nereid.benchmarks.torture.stop.StopRound} one server's life, {@link
 * io.nereid.benchmarks.torture.stop.Ledger} decides which requests are lost.
 */
@NullMarked
package io.nereid.benchmarks.torture.stop;

import org.jspecify.annotations.NullMarked;
