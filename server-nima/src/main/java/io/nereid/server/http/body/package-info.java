/**
 * The bodies of requests and responses, whatever is in them: read into leased memory, decompressed,
 * compressed, and sent in parts if they are long. Knows no route. Runs on the connection's virtual
 * thread, and on threads of long work. Read {@link io.nereid.server.http.body.BodyDecoder} first.
 */
@NullMarked
package io.nereid.server.http.body;

import org.jspecify.annotations.NullMarked;
