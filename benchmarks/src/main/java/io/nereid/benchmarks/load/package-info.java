/**
 * A load generator for servers of the v2 protocol, with the cells of the baseline as presets, and
 * the commands that measure by it. It knows a server by its URLs and, to read CPU times, by its
 * process id; it does not depend on the server's code. Nor does it use the module {@code client}:
 * one thread has to send to many connections by a schedule, and bytes that are encoded once.
 *
 * <p>A load of {@code load.transport} sends a request of {@code load.preset} when {@code
 * load.arrival} says, and its thread writes the {@link io.nereid.benchmarks.load.RunStatistics}.
 * The thread that calls {@link io.nereid.benchmarks.load.LoadRun} measures the time. Read {@link
 * io.nereid.benchmarks.load.LoadRun} first.
 */
@NullMarked
package io.nereid.benchmarks.load;

import org.jspecify.annotations.NullMarked;
