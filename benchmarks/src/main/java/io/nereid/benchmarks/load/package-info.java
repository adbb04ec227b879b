/**
 * A load generator for any server of the v2 protocol, with the cells of the baseline as presets. It
 * knows a server by its URLs, and by the process id whose CPU time it reads; nothing of the
 * server's code.
 *
 * <p>One thread (HTTP's selector, or gRPC's event loop) sends, receives and is the only writer of a
 * run's {@link io.nereid.benchmarks.load.Tally}; the thread that called {@link
 * io.nereid.benchmarks.load.LoadRun} keeps the time. With an open loop a third thread, the {@link
 * io.nereid.benchmarks.load.Pacer}, says when a request is due. Read {@link
 * io.nereid.benchmarks.load.LoadRun} first.
 */
@NullMarked
package io.nereid.benchmarks.load;

import org.jspecify.annotations.NullMarked;
