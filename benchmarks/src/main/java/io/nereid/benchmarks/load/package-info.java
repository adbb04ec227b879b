/**
 * A load generator for servers of the v2 protocol, with the cells of the baseline as presets. It
 * knows a server by its URLs and, to read CPU times, by its process id; it does not depend on the
 * server's code. Nor does it use the module {@code client}: one thread has to send to many
 * connections by a schedule, and bytes that are encoded once.
 *
 * <p>One thread (HTTP's selector or gRPC's event loop) sends, receives, and writes the {@link
 * io.nereid.benchmarks.load.RunStatistics}. The thread that calls {@link
 * io.nereid.benchmarks.load.LoadRun} measures the time. In an open loop, a third thread runs the
 * {@link io.nereid.benchmarks.load.ArrivalGenerator}. Read {@link
 * io.nereid.benchmarks.load.LoadRun} first.
 */
@NullMarked
package io.nereid.benchmarks.load;

import org.jspecify.annotations.NullMarked;
