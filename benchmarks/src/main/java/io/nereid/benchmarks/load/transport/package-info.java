/**
 * Connections that send an encoded request whenever one is due, over HTTP/1.1 and gRPC. They use
 * {@code load.arrival} and tell {@link io.nereid.benchmarks.load.transport.Outcomes} what becomes
 * of each request. One thread serves all connections of a load: HTTP's selector, or gRPC's event
 * loop. Read {@link io.nereid.benchmarks.load.transport.Load} first.
 */
@NullMarked
package io.nereid.benchmarks.load.transport;

import org.jspecify.annotations.NullMarked;
