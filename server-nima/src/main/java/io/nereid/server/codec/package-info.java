/**
 * The common parts of all wire forms: the decoded request, the memory of its inputs, an output
 * buffer for text, and threads for long work. Only this package and those below it convert bytes to
 * types. It depends on no socket and no model. Objects are used by the thread that reads or writes
 * a connection, but for those of {@link io.nereid.server.codec.LongWork}. Read {@link
 * io.nereid.engine.request.DecodedRequest} first.
 */
@NullMarked
package io.nereid.server.codec;

import org.jspecify.annotations.NullMarked;
