/**
 * The response cache: the one of the server, found as a service, and its use for requests. Knows
 * nothing of sockets, of schedulers and of how models are loaded. Threads that submit requests look
 * responses up; threads that deliver responses insert them. Read {@link
 * io.nereid.engine.cache.ResponseCaching} first.
 */
@NullMarked
package io.nereid.engine.cache;

import org.jspecify.annotations.NullMarked;
