/**
 * Exchanges of bytes with an HTTP/1.1 server, written down in files: what a client sends, and what
 * it must receive. Read {@link io.nereid.server.wire.WireScript} for the form of the files.
 */
@NullMarked
package io.nereid.server.wire;

import org.jspecify.annotations.NullMarked;
