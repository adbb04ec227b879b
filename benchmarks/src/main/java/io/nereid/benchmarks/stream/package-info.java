/**
 * Clients of {@code generate_stream}, and a model that sends them one token after another. The
 * streams are read from their sockets, so that the time of each token is that of its bytes;
 * statistics come by the module {@code client}. Read {@link
 * io.nereid.benchmarks.stream.StreamBenchmark} first.
 */
@NullMarked
package io.nereid.benchmarks.stream;

import org.jspecify.annotations.NullMarked;
