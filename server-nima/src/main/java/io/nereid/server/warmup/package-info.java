/**
 * The requests that a server sends to itself before it is ready. It is a second, smaller
 * composition root beside that of the server: the front ends, the engine and a model of its own.
 * Read {@link io.nereid.server.warmup.ServerWarmup}.
 */
@NullMarked
package io.nereid.server.warmup;

import org.jspecify.annotations.NullMarked;
