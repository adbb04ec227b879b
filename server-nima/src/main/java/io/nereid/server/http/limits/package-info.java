/**
 * What a listener of HTTP takes from its clients: how many connections, and how slowly they may
 * send and read. Nothing here knows a socket or a thread. Read {@link
 * io.nereid.server.http.limits.ConnectionLimits} first, then {@link
 * io.nereid.server.http.limits.ConnectionWatch}.
 */
@NullMarked
package io.nereid.server.http.limits;

import org.jspecify.annotations.NullMarked;
