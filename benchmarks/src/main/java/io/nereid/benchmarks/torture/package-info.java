/**
 * Attacks on a server, each with good requests beside it: {@code make torture}; and rounds of
 * SIGTERM under load: {@code make stop-rounds}. A server is a process that is started for each
 * attack, or addresses and a process id, so that another server of the protocol can be compared.
 * Linux only, since memory and threads are read from {@code /proc}.
 *
 * <p>Bytes are written to sockets by hand, good requests too: the module {@code client} would
 * repeat what is refused, and hide what a connection does.
 *
 * <p>{@link io.nereid.benchmarks.torture.Campaign} runs one attack, the thread of the caller; each
 * kind of good request has a thread of its own ({@link io.nereid.benchmarks.torture.GoodRequests}),
 * and an attack has as many virtual threads as it likes. Read {@link
 * io.nereid.benchmarks.torture.Campaign} first, then one of the attacks in {@code attack}.
 */
@NullMarked
package io.nereid.benchmarks.torture;

import org.jspecify.annotations.NullMarked;
