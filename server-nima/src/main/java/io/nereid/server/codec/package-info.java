/**
 * What all wire forms share: the decoded request, the memory of its inputs, and an output buffer
 * with decimal numbers. Bytes become types in this package and the packages below it, and nowhere
 * else. Knows no socket and no model. Run by the thread that reads or writes the connection; no
 * object here is shared between threads. Read {@link io.nereid.server.codec.DecodedRequest} first.
 */
@NullMarked
package io.nereid.server.codec;

import org.jspecify.annotations.NullMarked;
