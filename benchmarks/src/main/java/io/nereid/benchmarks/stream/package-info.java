/**
 * Clients of {@code generate_stream}, and a model that sends them one token after another. Read
 * {@link io.nereid.benchmarks.stream.StreamBenchmark} first.
 */
@NullMarked
package io.nereid.benchmarks.stream;

import org.jspecify.annotations.NullMarked;
