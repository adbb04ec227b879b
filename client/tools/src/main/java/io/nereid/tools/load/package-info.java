/**
 * A load generator for servers of the v2 protocol, which the command {@code bench} and the
 * benchmarks use. It knows a server by its URL. Nor does it use the module {@code client}: one
 * thread has to send to many connections by a schedule, and bytes that are encoded once.
 *
 * <p>A load of {@code load.transport} sends encoded requests when {@code load.arrival} says, and
 * its thread writes the {@link io.nereid.tools.load.RunStatistics}. The thread that calls {@link
 * io.nereid.tools.load.LoadWindow} measures the time. Read {@link io.nereid.tools.load.LoadWindow}
 * first.
 */
@NullMarked
package io.nereid.tools.load;

import org.jspecify.annotations.NullMarked;
