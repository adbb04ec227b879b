/**
 * The requests that a server sends to itself before it is ready: front ends of their own on the
 * server's services, and the bytes that go to them. Read {@link
 * io.nereid.server.warmup.ServerWarmup}.
 */
@NullMarked
package io.nereid.server.warmup;

import org.jspecify.annotations.NullMarked;
