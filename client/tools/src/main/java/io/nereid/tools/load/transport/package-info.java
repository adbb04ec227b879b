/**
 * Connections that send encoded requests whenever one is due, over HTTP/1.1 and gRPC. They use
 * {@code load.arrival} and tell {@link io.nereid.tools.load.transport.Outcomes} what becomes of
 * each request. One thread serves all connections of a load: HTTP's selector, or gRPC's event loop.
 * Read {@link io.nereid.tools.load.transport.Load} first.
 */
@NullMarked
package io.nereid.tools.load.transport;

import org.jspecify.annotations.NullMarked;
