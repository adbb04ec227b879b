/**
 * Requests of HTTP/1 as they come from a connection: its input, and the heads and bodies that are
 * found in it, byte by byte, so that bodies go straight into off-heap memory. Follows RFC 9112 and
 * is strict where another server might read the same bytes differently.
 *
 * <p>Knows no socket, which is behind {@link io.nereid.server.http.message.Transport}, and no
 * response. The connection's thread runs it, except for what is {@linkplain
 * io.nereid.server.http.message.ReadAhead read ahead}. Read {@link
 * io.nereid.server.http.message.HeadReader} first, then {@link
 * io.nereid.server.http.message.Framing}.
 */
@NullMarked
package io.nereid.server.http.message;

import org.jspecify.annotations.NullMarked;
